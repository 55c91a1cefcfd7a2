import { setTimeout as delay } from 'node:timers/promises';

interface StepAtWork {
  isHung: boolean;
  readonly ended: Promise<void>;
}

/**
 * Step functions that are running. Virtual time stands still while they work; one that works longer than the patience of
 * the test, in real time, counts as hung, and time passes in spite of it.
 */
export class StepsAtWork {
  readonly #patienceMs: number;
  readonly #steps = new Set<StepAtWork>();

  constructor(patienceMs: number) {
    this.#patienceMs = patienceMs;
  }

  watch<T>(outcome: T): T {
    if (this.#patienceMs === 0 || !isPromise(outcome)) return outcome;
    const step: StepAtWork = { isHung: false, ended: settled(outcome) };
    this.#steps.add(step);
    void step.ended.then(() => this.#steps.delete(step));
    return outcome;
  }

  /** Waits until a step function ends or all of them are hung; true when one ended. */
  async someEnded(): Promise<boolean> {
    const working = [...this.#steps].filter(({ isHung }) => !isHung);
    if (working.length === 0) return false;
    const patience = new AbortController();
    const impatience = delay(this.#patienceMs, 'hung', { signal: patience.signal });
    const first = await Promise.race([impatience, ...working.map(({ ended }) => ended)]);
    patience.abort();
    impatience.catch(() => undefined);
    if (first !== 'hung') return true;
    for (const step of working) step.isHung = true;
    return false;
  }
}

async function settled(outcome: Promise<unknown>): Promise<void> {
  try {
    await outcome;
  } catch {
    // The engine sees to it.
  }
}

function isPromise(value: unknown): value is Promise<unknown> {
  return typeof (value as { then?: unknown } | null | undefined)?.then === 'function';
}
