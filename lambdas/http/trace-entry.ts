import type { JournalEntry } from '../../src/core/job/journal.ts';
import type { StoredValue } from '../../src/core/job/stored-value.ts';
import { TRACE_OUTCOME_BYTES } from '../../src/protocol/limits.ts';
import type { TraceEntry } from '../../src/protocol/trace.ts';
import { errorRepresentation, instant, jobErrorRepresentation } from './error-representation.ts';

type Type = JournalEntry['type'];
type EntryOf<T extends Type> = JournalEntry extends infer Entry
  ? Entry extends { readonly type: infer Types }
    ? T extends Types
      ? Entry
      : never
    : never
  : never;
type FactsOf<T extends Type> = Omit<
  Extract<TraceEntry, { type: T }>,
  'type' | 'at' | 'attempt' | 'generation' | 'agentVersion'
>;

/** What the trace shows of each kind of entry; a new kind does not compile before it has its row. */
const FACTS: { readonly [T in Type]: (entry: EntryOf<T>) => FactsOf<T> } = {
  'attempt.started': ({ crashes }) => ({ crashes }),
  'step.started': (entry) => ({ step: entry.stepId, try: entry.try }),
  'step.succeeded': (entry) => ({
    ...stepFacts(entry),
    size: sizeOf(entry.outcome),
    outcome: smallValue(entry.outcome),
  }),
  'step.failed': (entry) => ({
    ...stepFacts(entry),
    error: errorRepresentation(entry.error),
    retryAt: optionalInstant(entry.retryAt),
  }),
  'sleep.started': ({ stepId, until }) => ({ step: stepId, until: instant(until) }),
  'wait.started': ({ stepId, name, until }) => ({
    step: stepId,
    name,
    until: optionalInstant(until),
  }),
  'wait.timed_out': ({ stepId, name }) => ({ step: stepId, name }),
  'signal.received': ({ stepId, name, signalId, body }) => ({
    step: stepId,
    name,
    signalId,
    size: sizeOf(body),
    body: smallValue(body),
  }),
  'signal.rejected': ({ stepId, name, signalId, error }) => ({
    step: stepId,
    name,
    signalId,
    error: errorRepresentation(error),
  }),
  'child.spawned': ({ stepId, childId, agent, cancelWithParent }) => ({
    step: stepId,
    childId,
    agent,
    cancelWithParent,
  }),
  'child.finished': ({ childId, status, result, error }) => ({
    childId,
    status,
    size: result && sizeOf(result),
    error: error && jobErrorRepresentation(error),
  }),
  'cancel.requested': () => ({}),
  'pause.requested': () => ({}),
  'job.resumed': () => ({}),
  'job.restarted': ({ previous: { status, error }, fromStep, hint }) => ({
    previous: { status, error: error && jobErrorRepresentation(error) },
    fromStep,
    hint,
  }),
  'progress.reported': ({ completed, total, message }) => ({ completed, total, message }),
  'log.written': ({ stepId, level, message, data }) => ({ step: stepId, level, message, data }),
  'job.failed': ({ error, deadLettered }) => ({
    error: jobErrorRepresentation(error),
    deadLettered,
  }),
  'job.cancelled': ({ cleanUpError }) => ({
    cleanUpError: cleanUpError && errorRepresentation(cleanUpError),
  }),
};

/** A journal entry as the trace shows it. */
export function traceEntry(entry: JournalEntry, generation: number): TraceEntry {
  const { type, at, attempt, agentVersion } = entry;
  const facts = (FACTS[type] as (entry: JournalEntry) => object)(entry);
  return { type, at: instant(at), attempt, generation, agentVersion, ...facts } as TraceEntry;
}

/** Bytes of a value as JSON. */
export function sizeOf(value: StoredValue): number {
  return value.kind === 'inline' ? Buffer.byteLength(value.json, 'utf8') : value.sizeBytes;
}

function stepFacts(entry: EntryOf<'step.succeeded' | 'step.failed'>) {
  return {
    step: entry.stepId,
    try: entry.try,
    startedAt: instant(entry.at - entry.durationMs),
    durationMs: entry.durationMs,
  };
}

/** The value itself where it costs little to show; empty text stands for `undefined`. */
function smallValue(value: StoredValue): unknown {
  if (value.kind !== 'inline' || value.json === '' || sizeOf(value) > TRACE_OUTCOME_BYTES) {
    return undefined;
  }
  return JSON.parse(value.json) as unknown;
}

function optionalInstant(epochMs: number | undefined): string | undefined {
  return epochMs === undefined ? undefined : instant(epochMs);
}
