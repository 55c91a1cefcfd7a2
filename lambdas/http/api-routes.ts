import { type ReadJobDeps, readJob } from '../../src/core/commands/read-job.ts';
import { readTrace } from '../../src/core/commands/read-trace.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { RESULT_URL_SECONDS } from '../../src/protocol/limits.ts';
import type { OperationId } from '../../src/protocol/routes.ts';
import { callerOf, requireScope } from './caller.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import { jobRepresentation, retryAfterSeconds } from './job-representation.ts';
import { parseCursor } from './page-cursor.ts';
import { jobPath } from './request.ts';
import { RequestRefused } from './request-refused.ts';
import { routeOf } from './route-of.ts';
import { traceRepresentation } from './trace-representation.ts';

export interface ApiDeps extends ReadJobDeps {
  readonly jobs: Pick<JobStore, 'getJob' | 'lastPage' | 'getResult' | 'listPages'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** What the `api` function serves, by operation. */
export function apiRoutes(deps: ApiDeps): Partial<Record<OperationId, Serve>> {
  return {
    getJob: (request) => getJob(deps, request),
    getTrace: (request) => getTrace(deps, request),
    getHealth: () => ({ status: 200, body: { status: 'ok' } }),
  };
}

async function getJob(deps: ApiDeps, request: HttpRequest) {
  const query = ownJobQuery(request, 'getJob');
  const now = deps.clock.now();
  const reading = await readJob(deps, { ...query, resultUrlSeconds: RESULT_URL_SECONDS });
  if (reading === undefined) throw noSuchJob(query.jobId);
  const retryAfter = retryAfterSeconds(reading.job, now);
  return {
    status: 200,
    body: jobRepresentation(reading, {
      path: jobPath(request.event, query.jobId),
      resultUrlExpiresAt: now + RESULT_URL_SECONDS * 1000,
    }),
    headers: retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  };
}

async function getTrace(deps: ApiDeps, request: HttpRequest) {
  const query = ownJobQuery(request, 'getTrace');
  const cursor = request.event.queryStringParameters?.cursor;
  const position = cursor === undefined ? undefined : parseCursor(cursor);
  const reading = await readTrace(deps, {
    ...query,
    ...(position !== undefined && { cursor: position }),
  });
  if (reading === undefined) throw noSuchJob(query.jobId);
  return { status: 200, body: traceRepresentation(reading, { isFirst: position === undefined }) };
}

function ownJobQuery(
  { event, note }: HttpRequest,
  operationId: 'getJob' | 'getTrace',
): { jobId: string; tenantId: string } {
  const caller = callerOf(event);
  const jobId = event.pathParameters?.jobId ?? '';
  note({ tenantId: caller.tenantId, jobId });
  requireScope(caller, routeOf(operationId));
  return { jobId, tenantId: caller.tenantId };
}

/** The same for a job that never was, has expired or is another tenant's: the answer must not tell them apart. */
function noSuchJob(jobId: string): RequestRefused {
  return new RequestRefused('not_found', `there is no job ${JSON.stringify(jobId)}`);
}
