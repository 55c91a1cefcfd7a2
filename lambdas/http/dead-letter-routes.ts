import {
  isDeadLettered,
  listDeadLetters,
  type ListDeadLettersDeps,
} from '../../src/core/commands/list-dead-letters.ts';
import { readJob } from '../../src/core/commands/read-job.ts';
import {
  type DeadLetterDetail,
  type DeadLetterListRepresentation,
  listDeadLettersQuerySchema,
} from '../../src/protocol/dead-letters.ts';
import { RESULT_URL_SECONDS } from '../../src/protocol/limits.ts';
import type { OperationId } from '../../src/protocol/routes.ts';
import { callerOf, requireScope } from './caller.ts';
import { checkedQuery } from './checked-query.ts';
import type { CursorSeal } from './cursor-seal.ts';
import { deadLettersOf, placeOf } from './dead-letter-cursor.ts';
import { deadLetterRepresentation, inputReference } from './dead-letter-representation.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import type { HttpResponse } from './http-response.ts';
import type { JobAnswerDeps } from './job-answer.ts';
import { jobRepresentation } from './job-representation.ts';
import { ownJobOf } from './own-job.ts';
import { type RedriveDeps, redriveRoute } from './redrive-route.ts';
import { basePathOf, pathsOf } from './request.ts';
import { RequestRefused } from './request-refused.ts';
import { routeOf } from './route-of.ts';

export type DeadLetterRouteDeps = ListDeadLettersDeps &
  JobAnswerDeps &
  RedriveDeps & { readonly cursors: CursorSeal };

/** What operators do about jobs that were given up, by operation. */
export function deadLetterRoutes(deps: DeadLetterRouteDeps): Partial<Record<OperationId, Serve>> {
  return {
    listDeadLetters: (request) => list(deps, request),
    getDeadLetter: (request) => get(deps, request),
    redriveDeadLetters: redriveRoute(deps),
  };
}

async function list(
  deps: DeadLetterRouteDeps,
  { event, note }: HttpRequest,
): Promise<HttpResponse> {
  const caller = callerOf(event);
  const { tenantId } = caller;
  note({ tenantId });
  requireScope(caller, routeOf('listDeadLetters'));
  const { limit, cursor, agent, code } = checkedQuery(listDeadLettersQuerySchema, event);
  const filters = { ...(agent !== undefined && { agent }), ...(code !== undefined && { code }) };
  const boundTo = deadLettersOf(tenantId, filters);
  const after = cursor === undefined ? {} : { after: await placeOf(deps.cursors, boundTo, cursor) };
  const page = await listDeadLetters(deps, { tenantId, filters, limit, ...after });
  const body: DeadLetterListRepresentation = {
    deadLetters: page.found.map(({ job }) => deadLetterRepresentation(job, basePathOf(event))),
    ...(page.next !== undefined && { next: await deps.cursors.seal(boundTo, page.next) }),
  };
  return { status: 200, body };
}

async function get(deps: DeadLetterRouteDeps, request: HttpRequest): Promise<HttpResponse> {
  const own = ownJobOf(request, routeOf('getDeadLetter'));
  const resultUrlSeconds = RESULT_URL_SECONDS;
  const reading = await readJob(deps, { ...own, resultUrlSeconds });
  if (reading === undefined || !isDeadLettered(reading.job)) {
    const { jobId } = own;
    throw new RequestRefused('not_found', `there is no dead letter of ${JSON.stringify(jobId)}`);
  }
  const { event } = request;
  const body: DeadLetterDetail = {
    ...deadLetterRepresentation(reading.job, basePathOf(event)),
    input: inputReference(reading.job),
    job: jobRepresentation(reading, { pathOf: pathsOf(event), resultUrlExpiresAt: 0 }),
  };
  return { status: 200, body };
}
