import type { StoredError } from '../../core/job/job.ts';
import type { JournalEntry } from '../../core/job/journal.ts';

/** An entry of the journal as one line: `step.failed charge, try 1: card declined`. */
export function describeEntry(entry: JournalEntry): string {
  return `${entry.type}${subject(entry)}${facts(entry)}`;
}

/** Kind and id; what depends on time or chance is left out. Empty for entries that belong to no step. */
export function signatures(entries: readonly JournalEntry[]): string[] {
  return entries.flatMap((entry) =>
    'stepId' in entry && entry.type !== 'step.started' && entry.type !== 'log.written'
      ? [`${entry.type} ${entry.stepId}`]
      : [],
  );
}

function subject(entry: JournalEntry): string {
  return 'stepId' in entry ? ` ${entry.stepId}` : '';
}

function facts(entry: JournalEntry): string {
  switch (entry.type) {
    case 'step.failed':
      return `, try ${entry.try}: ${describeError(entry.error)}`;
    case 'signal.rejected':
      return `: ${describeError(entry.error)}`;
    case 'child.spawned':
      return `: ${entry.agent}`;
    case 'child.finished':
      return `: ${entry.status}`;
    case 'log.written':
      return `: ${entry.message}`;
    case 'progress.reported': {
      const { completed, total, message } = entry;
      return `: ${[completed, total].filter((part) => part !== undefined).join(' of ')} ${message ?? ''}`.trimEnd();
    }
    case 'job.cancelled':
      return entry.cleanUpError === undefined ? '' : `: ${describeError(entry.cleanUpError)}`;
    case 'job.failed':
      return `: ${entry.error.code}`;
    default:
      return '';
  }
}

function describeError({ code, message }: StoredError): string {
  return code === undefined ? message : `${code}, ${message}`;
}
