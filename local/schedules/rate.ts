import { TemplateError } from '../template/template-error.ts';

const UNIT_MS: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Interval of a `rate(5 minutes)` expression. Any other kind of schedule is refused by name. */
export function rateMs(where: string, expression: string): number {
  const [, value, unit = ''] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  const unitMs = UNIT_MS[unit];
  if (unitMs === undefined || Number(value) < 1) {
    throw new TemplateError(
      where,
      `unknown schedule ${expression}; known: rate(n minutes|hours|days)`,
    );
  }
  return Number(value) * unitMs;
}
