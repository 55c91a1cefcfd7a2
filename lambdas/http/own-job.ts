import type { JobCommand } from '../../src/core/commands/control-job.ts';
import type { Route, Scope } from '../../src/protocol/routes.ts';
import { callerOf, requireScope } from './caller.ts';
import type { HttpRequest } from './http-handler.ts';
import { RequestRefused } from './request-refused.ts';

/**
 * The job that the path names and the tenant that asks for it.
 * @throws RequestRefused `unauthorized`, `insufficient_scope`
 */
export function ownJobOf(
  { event, note }: HttpRequest,
  route: Route & { readonly scope: Scope },
): JobCommand {
  const caller = callerOf(event);
  const jobId = event.pathParameters?.jobId ?? '';
  note({ tenantId: caller.tenantId, jobId });
  requireScope(caller, route);
  return { jobId, tenantId: caller.tenantId };
}

/** The same for a job that never was, has expired or is another tenant's: the answer must not tell them apart. */
export function noSuchJob(jobId: string): RequestRefused {
  return new RequestRefused('not_found', `there is no job ${JSON.stringify(jobId)}`);
}
