import type { FollowedEvents, FollowedJob } from '../../src/core/commands/follow-job.ts';
import { pollDelayMs } from '../../src/core/policy/poll-delay.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { serverSentEvent } from './server-sent-event.ts';
import type { StreamOutput } from './stream-output.ts';

/** How soon a client comes back, after the time limit as after a cut. */
const RETRY_MS = 1_000;
/** Proxies close what is silent: API Gateway after five minutes, others after one. */
const HEARTBEAT_MS = 15_000;
/** Events are gathered to pieces of this size. */
const PIECE_CHARACTERS = 64 * 1024;

export interface StreamSummary {
  /** Why the stream ended: after the final event, by its time limit, or because nobody reads it. */
  readonly endedBy: 'final' | 'time' | 'gone';
  readonly events: number;
}

export interface EventStream {
  readonly job: FollowedJob;
  readonly output: StreamOutput;
  readonly clock: Pick<Clock, 'now'>;
  readonly endsAt: number;
}

/** Writes the events of a job until its end, until `endsAt`, or until nobody reads them. */
export async function streamEvents(stream: EventStream): Promise<StreamSummary> {
  const { job, output, clock, endsAt } = stream;
  let [events, idleLooks] = [0, 0];
  await output.write(`retry: ${RETRY_MS}\n\n`);
  for (;;) {
    const followed = await job.read();
    for (const piece of pieces(followed.events)) await output.write(piece);
    events += followed.events.length;
    idleLooks = followed.events.length > 0 ? 0 : idleLooks + 1;
    if (followed.state === 'live') {
      await untilNextLook(stream, pollDelayMs(job.job, { idleLooks, now: clock.now() }));
    }
    if (output.isGone) return { endedBy: 'gone', events };
    if (followed.state === 'over') return { endedBy: 'final', events };
    if (clock.now() >= endsAt) return { endedBy: 'time', events };
  }
}

async function untilNextLook(stream: EventStream, delayMs: number): Promise<void> {
  const { output, clock, endsAt } = stream;
  const nextAt = Math.min(clock.now() + delayMs, endsAt);
  while (clock.now() < nextAt && !output.isGone) {
    const heartbeatAt = output.writtenAt + HEARTBEAT_MS;
    await output.pause(Math.min(nextAt, heartbeatAt) - clock.now());
    if (clock.now() >= heartbeatAt) await output.write(': heartbeat\n\n');
  }
}

function* pieces(events: FollowedEvents['events']): Generator<string> {
  let piece = '';
  for (const event of events) {
    piece += serverSentEvent(event);
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
  }
  if (piece !== '') yield piece;
}
