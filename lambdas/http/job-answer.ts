import type { JobCommand } from '../../src/core/commands/control-job.ts';
import { type ReadJobDeps, readJob } from '../../src/core/commands/read-job.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { RESULT_URL_SECONDS } from '../../src/protocol/limits.ts';
import type { HttpRequest } from './http-handler.ts';
import type { HttpResponse } from './http-response.ts';
import { jobRepresentation, retryAfterSeconds } from './job-representation.ts';
import { noSuchJob } from './own-job.ts';
import { pathsOf } from './request.ts';

export type JobAnswerDeps = ReadJobDeps & { readonly clock: Pick<Clock, 'now'> };

/** The caller's job as it is now. */
export async function jobAnswer(
  deps: JobAnswerDeps,
  { event }: HttpRequest,
  query: JobCommand,
  status = 200,
): Promise<HttpResponse> {
  const now = deps.clock.now();
  const reading = await readJob(deps, { ...query, resultUrlSeconds: RESULT_URL_SECONDS });
  if (reading === undefined) throw noSuchJob(query.jobId);
  const retryAfter = retryAfterSeconds(reading.job, now);
  return {
    status,
    body: jobRepresentation(reading, {
      pathOf: pathsOf(event),
      resultUrlExpiresAt: now + RESULT_URL_SECONDS * 1000,
    }),
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  };
}
