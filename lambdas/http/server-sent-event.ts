import type { FollowedEvent } from '../../src/core/commands/follow-job.ts';
import type { TraceEntry } from '../../src/protocol/trace.ts';
import { formatPosition } from './event-position.ts';
import { traceEntry } from './trace-entry.ts';
import { endedEntries, submittedEntry } from './trace-representation.ts';

/** An event as a reader of the stream gets it: its data is what the trace shows. */
export function serverSentEvent(event: FollowedEvent): string {
  return entriesOf(event)
    .map((entry) => {
      const id = formatPosition(event.position);
      return `id: ${id}\nevent: ${entry.type}\ndata: ${JSON.stringify(entry)}\n\n`;
    })
    .join('');
}

function entriesOf(event: FollowedEvent): TraceEntry[] {
  switch (event.kind) {
    case 'submitted':
      return [submittedEntry(event.job)];
    case 'recorded':
      return [traceEntry(event.entry, event.position.generation)];
    case 'ended':
      return endedEntries(event.job);
  }
}
