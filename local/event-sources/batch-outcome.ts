import type { InvocationOutcome } from '../lambda/execution-environment.ts';
import type { SqsRecord } from './sqs-record.ts';

/**
 * The records whose messages are done with, by the answer of the function. The others stay invisible until their
 * visibility timeout and are then handed out again.
 */
export function finishedRecords(
  records: readonly SqsRecord[],
  outcome: InvocationOutcome,
  reportsItemFailures: boolean,
): readonly SqsRecord[] {
  if (!outcome.ok) return [];
  if (!reportsItemFailures) return records;
  const failures = itemFailures(outcome.payload);
  // An answer Lambda cannot read, or an id that is not in the batch, fails the whole batch.
  if (!failures) return [];
  const known = new Set(records.map(({ messageId }) => messageId));
  if (failures.some((id) => !known.has(id))) return [];
  return records.filter(({ messageId }) => !failures.includes(messageId));
}

function itemFailures(payload: string): string[] | undefined {
  const answer: unknown = JSON.parse(payload);
  if (answer === null || typeof answer !== 'object') return answer === null ? [] : undefined;
  const { batchItemFailures } = answer as { batchItemFailures?: unknown };
  if (batchItemFailures === undefined || batchItemFailures === null) return [];
  if (!Array.isArray(batchItemFailures)) return undefined;
  const ids = batchItemFailures.map(
    (item) => (item as { itemIdentifier?: unknown }).itemIdentifier,
  );
  return ids.every((id) => typeof id === 'string' && id !== '') ? (ids as string[]) : undefined;
}
