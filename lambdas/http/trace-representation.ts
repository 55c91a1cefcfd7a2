import type { TraceReading } from '../../src/core/commands/read-trace.ts';
import type { Job } from '../../src/core/job/job.ts';
import type { TraceEntry, TraceRepresentation } from '../../src/protocol/trace.ts';
import { instant } from './error-representation.ts';
import { formatCursor } from './page-cursor.ts';
import { sizeOf, traceEntry } from './trace-entry.ts';

/** A part of a job's history. The first begins with the submission, the last ends with the outcome, if there is one. */
export function traceRepresentation(
  { job, pages, next }: TraceReading,
  { isFirst }: { readonly isFirst: boolean },
): TraceRepresentation {
  const entries = pages.flatMap(({ generation, entries }) =>
    entries.map((entry) => traceEntry(entry, generation)),
  );
  return {
    jobId: job.jobId,
    entries: [
      ...(isFirst ? [submittedEntry(job)] : []),
      ...entries,
      ...(next === undefined ? endedEntries(job) : []),
    ],
    ...(next !== undefined && { next: formatCursor(next) }),
  };
}

/** The first entry of every trace. */
export function submittedEntry(job: Job): TraceEntry {
  const at = instant(job.createdAt);
  return { type: 'job.submitted', at, attempt: 0, generation: 1, size: sizeOf(job.input) };
}

/**
 * Success has no page: it stands in the job item. Failure and cancel have one, which fences the journal, but for the cancel of
 * a job that no worker ever held.
 */
export function endedEntries(job: Job): TraceEntry[] {
  const at = instant(job.finishedAt ?? job.updatedAt);
  const base = { at, attempt: job.epoch, generation: job.generation };
  if (job.status === 'cancelled' && job.epoch === 0) return [{ type: 'job.cancelled', ...base }];
  if (job.status !== 'succeeded') return [];
  const size = job.result === undefined ? 0 : sizeOf(job.result);
  return [{ type: 'job.succeeded', ...base, agentVersion: job.agentVersion, size }];
}
