import { FollowedJob } from '../../src/core/commands/follow-job.ts';
import { findOwnJob } from '../../src/core/commands/read-job.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { EVENT_STREAM_SECONDS } from '../../src/protocol/limits.ts';
import { plainQuery } from './checked-query.ts';
import { checkPosition, positionOf } from './event-position.ts';
import type { HttpRequest } from './http-handler.ts';
import { noSuchJob, ownJobOf } from './own-job.ts';
import { routeOf } from './route-of.ts';
import { streamEvents } from './stream-events.ts';
import type { ServeStream, StreamedAnswer } from './streamed-handler.ts';

export interface EventsDeps {
  readonly jobs: Pick<JobStore, 'getJob' | 'lookAt'>;
  readonly clock: Pick<Clock, 'now' | 'setTimer'>;
}

/** Left to the function to end the stream. */
const MARGIN_MS = 5_000;

/** The answer after which a browser does not open the stream again. */
const NOTHING_MORE: StreamedAnswer = { status: 204, headers: {} };

/** `GET /jobs/{jobId}/events` */
export function eventsRoute({ jobs, clock }: EventsDeps): ServeStream {
  return async (request) => {
    const query = ownJobOf(request, routeOf('followJob'));
    const { after } = plainQuery(['after'], request.event);
    const position = positionOf(request.event, after);
    const found = await findOwnJob(jobs, query);
    if (found === undefined) throw noSuchJob(query.jobId);
    checkPosition(position, found);
    const job = new FollowedJob(jobs, found, position);
    if (await job.isOver()) return NOTHING_MORE;
    const endsAt = clock.now() + lengthMs(request);
    return {
      status: 200,
      headers: { 'content-type': 'text/event-stream' },
      stream: async (output) => {
        request.note({ ...(await streamEvents({ job, output, clock, endsAt })) });
      },
    };
  };
}

function lengthMs({ context }: HttpRequest): number {
  return Math.min(EVENT_STREAM_SECONDS * 1_000, context.getRemainingTimeInMillis() - MARGIN_MS);
}
