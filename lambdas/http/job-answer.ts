import type { JobCommand } from '../../src/core/commands/control-job.ts';
import { type JobReading, type ReadJobDeps, readJob } from '../../src/core/commands/read-job.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { jobFields } from '../../src/core/trace/job-telemetry.ts';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { RESULT_URL_SECONDS } from '../../src/protocol/limits.ts';
import type { HttpRequest } from './http-handler.ts';
import type { HttpResponse } from './http-response.ts';
import { jobRepresentation, retryAfterSeconds } from './job-representation.ts';
import { noSuchJob } from './own-job.ts';
import { pathsOf } from './request.ts';

export type JobAnswerDeps = ReadJobDeps & { readonly clock: Pick<Clock, 'now'> };

/** A job as it was read, and what an answer says of it. */
export interface ShownJob {
  readonly reading: JobReading;
  readonly body: JobRepresentation;
  readonly headers: Readonly<Record<string, string>>;
}

/** The caller's job as it is now. */
export async function jobAnswer(
  deps: JobAnswerDeps,
  request: HttpRequest,
  query: JobCommand,
  status = 200,
): Promise<HttpResponse> {
  const { body, headers } = await showJob(deps, request, query);
  return { status, body, headers };
}

/** @throws RequestRefused `not_found` */
export async function showJob(
  deps: JobAnswerDeps,
  request: HttpRequest,
  query: JobCommand,
): Promise<ShownJob> {
  const now = deps.clock.now();
  const reading = await readJob(deps, { ...query, resultUrlSeconds: RESULT_URL_SECONDS });
  if (reading === undefined) throw noSuchJob(query.jobId);
  return shownJob(reading, request, now);
}

/** `now`: before the job was read. */
export function shownJob(reading: JobReading, { event, note }: HttpRequest, now: number): ShownJob {
  note(jobFields(reading.job));
  const retryAfter = retryAfterSeconds(reading.job, now);
  return {
    reading,
    body: jobRepresentation(reading, {
      pathOf: pathsOf(event),
      resultUrlExpiresAt: now + RESULT_URL_SECONDS * 1000,
    }),
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  };
}
