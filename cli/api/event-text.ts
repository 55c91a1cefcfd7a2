import type { TraceEntry } from '../../client/index.ts';
import { printable } from './printable.ts';

type Type = TraceEntry['type'];
type Of<T extends Type> = Extract<TraceEntry, { type: T }>;
type Texts = { readonly [T in Type]: (entry: Of<T>) => string };

/** What an entry of a trace says to a person, in one line. */
const TEXTS: Texts = {
  'job.submitted': ({ size }) => `submitted, ${bytes(size)} of input`,
  'attempt.started': ({ attempt, crashes }) =>
    `attempt ${attempt}${crashes > 0 ? `, after ${times(crashes, 'crash', 'crashes')}` : ''}`,
  'step.started': ({ step, ...entry }) => `▸ ${step}, try ${entry.try}`,
  'step.succeeded': ({ step, durationMs, ...entry }) =>
    `✓ ${step}  ${duration(durationMs)}${entry.try > 1 ? `, try ${entry.try}` : ''}`,
  'step.failed': ({ step, error, retryAt, ...entry }) =>
    `✗ ${step}, try ${entry.try}: ${error.message}${retryAt === undefined ? '' : `; again at ${clock(retryAt)}`}`,
  'sleep.started': ({ step, until }) => `… ${step}: sleeps until ${until}`,
  'wait.started': ({ step, name, until }) =>
    `… ${step}: waits for the signal ${name}${until === undefined ? '' : ` until ${until}`}`,
  'wait.timed_out': ({ step, name }) => `✗ ${step}: the signal ${name} did not come in time`,
  'signal.received': ({ step, name }) => `✓ ${step}: the signal ${name} came`,
  'signal.rejected': ({ step, name, error }) =>
    `✗ ${step}: the signal ${name} was put aside: ${error.message}`,
  'child.spawned': ({ childId, agent }) => `▸ sub-job ${childId} of ${agent}`,
  'child.finished': ({ childId, status }) =>
    `${status === 'succeeded' ? '✓' : '✗'} sub-job ${childId} ${status}`,
  'cancel.requested': () => 'a cancel was asked for',
  'pause.requested': () => 'a pause was asked for',
  'job.resumed': () => 'resumed',
  'job.restarted': ({ previous, fromStep, hint }) =>
    `restarted; it was ${previous.status}${fromStep === undefined ? '' : `; from ${fromStep}`}${hint === undefined ? '' : `; hint: ${hint}`}`,
  'progress.reported': (entry) => progressText(entry),
  'log.written': ({ level, message, step }) =>
    `${level === 'info' ? '' : `${level}: `}${message}${step === undefined ? '' : `  (${step})`}`,
  'job.succeeded': ({ size }) => `succeeded, ${bytes(size)} of result`,
  'job.failed': ({ error, deadLettered }) =>
    `failed${error.step === undefined ? '' : ` in ${error.step}`}: ${error.code}: ${error.message}${deadLettered ? '; a dead letter was written' : ''}`,
  'job.cancelled': ({ cleanUpError: error }) =>
    error === undefined ? 'cancelled' : `cancelled; its clean-up failed: ${error.message}`,
};

export function eventText(entry: TraceEntry): string {
  const text = TEXTS[entry.type] as ((entry: TraceEntry) => string) | undefined;
  // An API that is newer than this program has entries it does not know.
  return printable(text === undefined ? (entry as { type: string }).type : text(entry));
}

export interface Progress {
  readonly completed?: number | undefined;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** `12 of 26, page 12` */
export function progressText({ completed, total, message }: Progress): string {
  const counted =
    completed === undefined
      ? []
      : [total === undefined ? `${completed}` : `${completed} of ${total}`];
  return [...counted, ...(message === undefined ? [] : [message])].join(', ');
}

/** `240 ms`, `12.3 s`, `4 min 5 s`, `3 h 12 min` */
export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3_600)} h ${Math.floor((seconds % 3_600) / 60)} min`;
}

function bytes(size: number): string {
  return size < 1024 ? `${size} B` : `${(size / 1024).toFixed(1)} KB`;
}

/** Time of day in UTC. */
export function clock(instant: string): string {
  return instant.slice(11, 19);
}

function times(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
