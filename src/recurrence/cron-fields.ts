/** One field of a cron expression of EventBridge Scheduler, its wildcards apart. */
interface FieldRule {
  readonly name: string;
  readonly min: number;
  readonly max: number;
  /** Names of values, the first one of `min`. */
  readonly names?: readonly string[];
}

const MONTHS = 'JAN FEB MAR APR MAY JUN JUL AUG SEP OCT NOV DEC'.split(' ');
const WEEKDAYS = 'SUN MON TUE WED THU FRI SAT'.split(' ');

/** The fields in their order: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html#cron-based */
const FIELDS = {
  minutes: { name: 'minutes', min: 0, max: 59 },
  hours: { name: 'hours', min: 0, max: 23 },
  dayOfMonth: { name: 'day of the month', min: 1, max: 31 },
  months: { name: 'month', min: 1, max: 12, names: MONTHS },
  // 1 is Sunday, other than in crontab.
  dayOfWeek: { name: 'day of the week', min: 1, max: 7, names: WEEKDAYS },
  years: { name: 'year', min: 1970, max: 2199 },
} as const satisfies Record<string, FieldRule>;

/** Which days of a month a cron expression means. */
export type DayRule =
  | { readonly kind: 'daysOfMonth'; readonly days: ReadonlySet<number> }
  | { readonly kind: 'lastDayOfMonth' }
  /** The weekday, Monday to Friday, of the same month that is nearest to a day. */
  | { readonly kind: 'nearestWeekday'; readonly day: number }
  /** 1 is Sunday. */
  | { readonly kind: 'daysOfWeek'; readonly days: ReadonlySet<number> }
  | { readonly kind: 'lastDayOfWeek'; readonly day: number }
  | { readonly kind: 'nthDayOfWeek'; readonly day: number; readonly nth: number };

export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly months: ReadonlySet<number>;
  readonly years: ReadonlySet<number>;
  readonly day: DayRule;
}

/** Why an expression is none, in words for whoever wrote it. */
export class RecurrenceFault extends Error {}

/**
 * The six fields of `cron(…)`.
 * @throws RecurrenceFault
 */
export function parseCron(text: string): Cron {
  const fields = text.trim().split(/\s+/);
  if (fields.length !== 6) {
    throw new RecurrenceFault(
      `cron takes six fields, minutes hours day-of-month month day-of-week year, and here are ${text.trim() === '' ? 0 : fields.length}`,
    );
  }
  const [minutes = '', hours = '', dayOfMonth = '', months = '', dayOfWeek = '', years = ''] =
    fields;
  return {
    minutes: sorted(valuesOf(FIELDS.minutes, minutes)),
    hours: sorted(valuesOf(FIELDS.hours, hours)),
    months: valuesOf(FIELDS.months, months),
    years: valuesOf(FIELDS.years, years),
    day: dayRule(dayOfMonth, dayOfWeek),
  };
}

function dayRule(dayOfMonth: string, dayOfWeek: string): DayRule {
  if ((dayOfMonth === '?') === (dayOfWeek === '?')) {
    throw new RecurrenceFault(
      `one of day of the month and day of the week must be ?, and here they are ${dayOfMonth} and ${dayOfWeek}`,
    );
  }
  return dayOfWeek === '?' ? dayOfMonthRule(dayOfMonth) : dayOfWeekRule(dayOfWeek);
}

function dayOfMonthRule(text: string): DayRule {
  if (text === 'L') return { kind: 'lastDayOfMonth' };
  const [, day] = /^(\d+)W$/.exec(text) ?? [];
  if (day !== undefined) {
    return { kind: 'nearestWeekday', day: valueOf(FIELDS.dayOfMonth, day) };
  }
  return { kind: 'daysOfMonth', days: valuesOf(FIELDS.dayOfMonth, text) };
}

function dayOfWeekRule(text: string): DayRule {
  const field = FIELDS.dayOfWeek;
  if (text === 'L') return { kind: 'daysOfWeek', days: new Set([field.max]) };
  const [, last] = /^(\w+)L$/.exec(text) ?? [];
  if (last !== undefined) return { kind: 'lastDayOfWeek', day: valueOf(field, last) };
  const [, day, nth] = /^(\w+)#(\d+)$/.exec(text) ?? [];
  if (day === undefined) return { kind: 'daysOfWeek', days: valuesOf(field, text) };
  const number = Number(nth);
  if (number < 1 || number > 5) {
    throw new RecurrenceFault(`${text} asks for a week that no month has: allowed are #1 to #5`);
  }
  return { kind: 'nthDayOfWeek', day: valueOf(field, day), nth: number };
}

/** `*`, values, ranges and steps, separated by commas. */
function valuesOf(field: FieldRule, text: string): ReadonlySet<number> {
  return new Set(text.split(',').flatMap((part) => partValues(field, part)));
}

function partValues(field: FieldRule, part: string): number[] {
  const [, range = '', step] = /^([^/]+)(?:\/(\d+))?$/.exec(part) ?? [];
  if (range === '') throw fault(field, part);
  const { from, to } = rangeOf(field, range, step !== undefined);
  const by = step === undefined ? 1 : Number(step);
  if (by < 1 || from > to) throw fault(field, part);
  const values: number[] = [];
  for (let value = from; value <= to; value += by) values.push(value);
  return values;
}

/** A value with a step counts from there to the end: `5/15`. */
function rangeOf(
  field: FieldRule,
  range: string,
  isStepped: boolean,
): { readonly from: number; readonly to: number } {
  if (range === '*') return { from: field.min, to: field.max };
  const [first = '', last, ...more] = range.split('-');
  if (more.length > 0) throw fault(field, range);
  const from = valueOf(field, first);
  if (last !== undefined) return { from, to: valueOf(field, last) };
  return { from, to: isStepped ? field.max : from };
}

function valueOf(field: FieldRule, text: string): number {
  const named = field.names?.indexOf(text) ?? -1;
  const value = named >= 0 ? named + field.min : /^\d{1,4}$/.test(text) ? Number(text) : -1;
  if (value >= field.min && value <= field.max) return value;
  throw fault(field, text);
}

function fault({ name, min, max, names }: FieldRule, got: string): RecurrenceFault {
  const named = names === undefined ? '' : ` or ${names[0] ?? ''} to ${names.at(-1) ?? ''}`;
  return new RecurrenceFault(
    `${JSON.stringify(got)} is no ${name}: allowed are ${min} to ${max}${named}, lists (a,b), ranges (a-b) and steps (a/n)`,
  );
}

const sorted = (values: ReadonlySet<number>): number[] => [...values].sort((a, b) => a - b);
