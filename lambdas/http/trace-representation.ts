import type { Job } from '../../src/core/job/job.ts';
import type { JournalEntry } from '../../src/core/job/journal.ts';
import type { StoredValue } from '../../src/core/job/stored-value.ts';
import type { TraceReading } from '../../src/core/commands/read-trace.ts';
import { TRACE_OUTCOME_BYTES } from '../../src/protocol/limits.ts';
import type { TraceEntry, TraceRepresentation } from '../../src/protocol/trace.ts';
import { errorRepresentation, instant, jobErrorRepresentation } from './error-representation.ts';
import { formatCursor } from './page-cursor.ts';

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
      ...(isFirst ? [submitted(job)] : []),
      ...entries,
      ...(next === undefined ? succeeded(job) : []),
    ],
    ...(next !== undefined && { next: formatCursor(next) }),
  };
}

function submitted(job: Job): TraceEntry {
  const at = instant(job.createdAt);
  return { type: 'job.submitted', at, attempt: 0, generation: 1, size: sizeOf(job.input) };
}

/** Success has no page: it stands in the job item. Failure and cancel have one, which fences the journal. */
function succeeded(job: Job): TraceEntry[] {
  if (job.status !== 'succeeded') return [];
  const at = instant(job.finishedAt ?? job.updatedAt);
  const size = job.result === undefined ? 0 : sizeOf(job.result);
  return [{ type: 'job.succeeded', at, attempt: job.epoch, generation: job.generation, size }];
}

function traceEntry(entry: JournalEntry, generation: number): TraceEntry {
  const base = { at: instant(entry.at), attempt: entry.attempt, generation };
  switch (entry.type) {
    case 'attempt.started':
      return {
        type: entry.type,
        ...base,
        agentVersion: entry.agentVersion,
        crashes: entry.crashes,
      };
    case 'step.started':
      return { type: entry.type, ...base, step: entry.stepId, try: entry.try };
    case 'step.succeeded':
      return { type: entry.type, ...base, ...stepFacts(entry), ...outcomeFacts(entry.outcome) };
    case 'step.failed':
      return {
        type: entry.type,
        ...base,
        ...stepFacts(entry),
        error: errorRepresentation(entry.error),
        ...(entry.retryAt !== undefined && { retryAt: instant(entry.retryAt) }),
      };
    case 'sleep.started':
      return { type: entry.type, ...base, step: entry.stepId, until: instant(entry.until) };
    case 'progress.reported': {
      const { completed, total, message } = entry;
      return { type: entry.type, ...base, completed, total, message };
    }
    case 'log.written': {
      const { level, message, data } = entry;
      return { type: entry.type, ...base, level, message, ...(data !== undefined && { data }) };
    }
    case 'job.failed':
      return {
        type: entry.type,
        ...base,
        error: jobErrorRepresentation(entry.error),
        deadLettered: entry.deadLettered,
      };
    case 'job.cancelled':
      return { type: entry.type, ...base };
  }
}

function stepFacts(entry: { stepId: string; try: number; at: number; durationMs: number }) {
  return {
    step: entry.stepId,
    try: entry.try,
    startedAt: instant(entry.at - entry.durationMs),
    durationMs: entry.durationMs,
  };
}

function outcomeFacts(outcome: StoredValue): { size: number; outcome?: unknown } {
  const size = sizeOf(outcome);
  if (outcome.kind !== 'inline' || outcome.json === '' || size > TRACE_OUTCOME_BYTES) {
    return { size };
  }
  return { size, outcome: JSON.parse(outcome.json) as unknown };
}

function sizeOf(value: StoredValue): number {
  return value.kind === 'inline' ? Buffer.byteLength(value.json, 'utf8') : value.sizeBytes;
}
