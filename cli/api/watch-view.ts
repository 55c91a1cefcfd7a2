import type { Job, TraceEntry } from '../../client/index.ts';
import { duration, eventText, type Progress, progressText } from './event-text.ts';
import { cutTo, printable } from './printable.ts';

/** What the last line of a watched job shows. */
export interface WatchView {
  readonly status: string;
  readonly progress?: Progress;
  readonly startedAt: number;
  readonly stepsDone: number;
}

export function viewOf(job: Job): WatchView {
  return {
    status: job.status,
    ...(job.progress !== undefined && { progress: job.progress }),
    startedAt: Date.parse(job.restartedAt ?? job.createdAt),
    stepsDone: 0,
  };
}

/** The view after something has happened. */
export function afterEvent(view: WatchView, entry: TraceEntry): WatchView {
  switch (entry.type) {
    case 'attempt.started':
      return { ...view, status: 'running' };
    case 'step.succeeded':
      return { ...view, status: 'running', stepsDone: view.stepsDone + 1 };
    case 'progress.reported': {
      const { completed, total, message } = entry;
      return { ...view, progress: { completed, total, message } };
    }
    case 'sleep.started':
      return { ...view, status: 'sleeping' };
    case 'wait.started':
      return { ...view, status: `waiting for ${printable(entry.name)}` };
    case 'job.restarted':
      return { ...view, status: 'queued', startedAt: Date.parse(entry.at), stepsDone: 0 };
    case 'job.succeeded':
    case 'job.failed':
    case 'job.cancelled':
      return { ...view, status: entry.type.slice('job.'.length) };
    default:
      return view;
  }
}

/** Whether an entry has a line of its own; progress only moves the bar. */
export function hasLine({ type }: TraceEntry): boolean {
  return type !== 'progress.reported';
}

/** A line of the history: how long after the start, and what happened. */
export function historyLine({ startedAt }: WatchView, entry: TraceEntry): string {
  const afterMs = Math.max(0, Date.parse(entry.at) - startedAt);
  return `${`${(afterMs / 1_000).toFixed(1)} s`.padStart(9)}  ${eventText(entry)}`;
}

const BAR_WIDTH = 24;

/** The last line: a bar as far as the job has told how far it is, its status, and how long it has taken. */
export function statusLine(
  view: WatchView,
  { columns, now }: { readonly columns: number; readonly now: number },
): string {
  const { status, progress = {}, startedAt, stepsDone } = view;
  const share = shareOf(progress);
  const parts = [
    ...(share === undefined
      ? []
      : [`${bar(share)} ${String(Math.floor(share * 100)).padStart(3)} %`]),
    status,
    duration(Math.max(0, now - startedAt)),
    `${stepsDone} ${stepsDone === 1 ? 'step' : 'steps'}`,
    printable(progressText(progress)),
  ];
  // One column is left free: a full line would wrap, and could not be written over.
  return cutTo(columns - 1, parts.filter((part) => part !== '').join('  '));
}

function shareOf({ completed, total }: Progress): number | undefined {
  if (completed === undefined || total === undefined || total <= 0) return undefined;
  return Math.min(1, Math.max(0, completed / total));
}

function bar(share: number): string {
  const full = Math.round(share * BAR_WIDTH);
  return `${'█'.repeat(full)}${'░'.repeat(BAR_WIDTH - full)}`;
}
