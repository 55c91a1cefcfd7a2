import { setTimeout as delay } from 'node:timers/promises';

const LOOK_EVERY_MS = 20;
const LIMIT_MS = 60_000;

/** Looks until there is something to see, and fails when there is nothing for too long. */
export async function waitFor<Value>(
  what: string,
  look: () => Value | undefined | false | Promise<Value | undefined | false>,
): Promise<Value> {
  const giveUpAt = Date.now() + LIMIT_MS;
  for (;;) {
    const seen = await look();
    if (seen !== undefined && seen !== false) return seen;
    if (Date.now() > giveUpAt) throw new Error(`waited ${LIMIT_MS} ms in vain for ${what}`);
    await delay(LOOK_EVERY_MS);
  }
}
