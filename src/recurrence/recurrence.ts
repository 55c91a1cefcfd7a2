import { type Cron, parseCron, RecurrenceFault } from './cron-fields.ts';

/** When something happens again and again. */
export type Recurrence =
  | { readonly kind: 'rate'; readonly intervalMs: number }
  | { readonly kind: 'cron'; readonly cron: Cron };

const UNIT_MS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};
const LONGEST_RATE_MS = 365 * 86_400_000;

/**
 * An expression of EventBridge Scheduler, `cron(0 9 ? * MON-FRI *)` or `rate(15 minutes)`, and nothing that it would not take.
 * @throws RecurrenceFault saying what is wrong and what is allowed
 */
export function parseRecurrence(expression: string): Recurrence {
  const [, kind, body = ''] = /^(cron|rate)\((.*)\)$/.exec(expression) ?? [];
  if (kind === 'cron') return { kind, cron: parseCron(body) };
  if (kind === 'rate') return { kind, intervalMs: rateMs(body) };
  throw new RecurrenceFault(
    `${JSON.stringify(expression)} is no recurrence: write cron(0 9 ? * MON-FRI *) or rate(15 minutes)`,
  );
}

function rateMs(body: string): number {
  const [, count = '', unit = '', plural] = /^(\d{1,6}) (minute|hour|day)(s?)$/.exec(body) ?? [];
  const value = Number(count);
  const intervalMs = value * (UNIT_MS[unit] ?? 0);
  // EventBridge wants the singular for 1 and the plural for all else.
  const isGrammatical = (value === 1) === (plural === '');
  if (intervalMs >= 60_000 && intervalMs <= LONGEST_RATE_MS && isGrammatical) return intervalMs;
  throw new RecurrenceFault(
    `rate(${body}) is no rate: write rate(1 minute), rate(15 minutes), rate(1 hour), rate(2 days), 365 days at most`,
  );
}
