import type { Cron, DayRule } from './cron-fields.ts';

const DAY_MS = 86_400_000;

/** Days that a cron expression means, from a day on, in order, each as the UTC midnight of its date. */
export function* cronDays(cron: Cron, from: number): Generator<number, void> {
  const start = new Date(from);
  for (const year of [...cron.years].sort((a, b) => a - b)) {
    if (year < start.getUTCFullYear()) continue;
    for (let month = 1; month <= 12; month += 1) {
      if (!cron.months.has(month)) continue;
      for (const day of daysOf(cron.day, year, month)) {
        const date = Date.UTC(year, month - 1, day);
        if (date >= from) yield date;
      }
    }
  }
}

function daysOf(rule: DayRule, year: number, month: number): number[] {
  const length = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const all = Array.from({ length }, (_, index) => index + 1);
  const weekday = (day: number) => new Date(Date.UTC(year, month - 1, day)).getUTCDay() + 1;
  switch (rule.kind) {
    case 'daysOfMonth':
      return all.filter((day) => rule.days.has(day));
    case 'lastDayOfMonth':
      return [length];
    case 'nearestWeekday':
      return rule.day > length ? [] : [nearestWeekday(rule.day, length, weekday)];
    case 'daysOfWeek':
      return all.filter((day) => rule.days.has(weekday(day)));
    case 'lastDayOfWeek':
      return all.filter((day) => weekday(day) === rule.day).slice(-1);
    case 'nthDayOfWeek':
      return all.filter((day) => weekday(day) === rule.day).slice(rule.nth - 1, rule.nth);
  }
}

/** Of the same month: before the first there is none, and behind the last neither. */
function nearestWeekday(day: number, length: number, weekday: (day: number) => number): number {
  const [SUNDAY, SATURDAY] = [1, 7];
  if (weekday(day) === SATURDAY) return day > 1 ? day - 1 : day + 2;
  if (weekday(day) === SUNDAY) return day < length ? day + 1 : day - 2;
  return day;
}

/** The UTC midnight of the date that a wall clock shows. */
export function dateOf(wall: number): number {
  return Math.floor(wall / DAY_MS) * DAY_MS;
}
