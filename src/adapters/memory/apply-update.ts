import type { Condition, JobUpdate } from '../../core/job/item-update.ts';
import type { Job } from '../../core/job/job.ts';
import { compareText } from './compare-text.ts';

/** Whether a condition holds, by DynamoDB's rules: what is absent or of another type compares with nothing. */
export function holds(condition: Condition, job: Job): boolean {
  if ('all' in condition) return condition.all.every((part) => holds(part, job));
  if ('any' in condition) return condition.any.some((part) => holds(part, job));
  const actual: unknown = job[condition.attribute];
  switch (condition.is) {
    case 'present':
      return actual !== undefined;
    case 'absent':
      return actual === undefined;
    case '=':
      return actual === condition.value;
    case '<':
      return compare(actual, condition.value) < 0;
    case '<=':
      return compare(actual, condition.value) <= 0;
  }
}

/** DynamoDB has no order between types. */
function compare(left: unknown, right: string | number): number {
  if (typeof left === 'number' && typeof right === 'number') return left - right;
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  return Number.NaN;
}

/** The item after an update whose condition holds. */
export function applyUpdate(job: Job, update: JobUpdate): Job {
  const changed: Record<string, unknown> = { ...job };
  const given: Record<string, unknown> = { ...update.set };
  for (const [name, value] of Object.entries(given)) {
    if (value !== undefined) changed[name] = value;
  }
  for (const [name, amount] of Object.entries(update.add ?? {})) {
    changed[name] = ((changed[name] as number | undefined) ?? 0) + amount;
  }
  for (const [name, value] of Object.entries(update.setIfAbsent ?? {})) changed[name] ??= value;
  const removed = new Set<string>(update.remove);
  const kept = Object.entries(changed).filter(([name]) => !removed.has(name));
  return Object.fromEntries(kept) as unknown as Job;
}
