import { signalJob, type SignalDeps as CoreDeps } from '../../src/core/commands/signal-job.ts';
import { signalNameSchema } from '../../src/protocol/command-requests.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { conflict, tooManySignals } from './command-refusals.ts';
import type { Serve } from './http-handler.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { jobAnswer, type JobAnswerDeps } from './job-answer.ts';
import { jsonBodyOf } from './json-body.ts';
import { noSuchJob, ownJobOf } from './own-job.ts';
import { RequestRefused } from './request-refused.ts';
import { routeOf } from './route-of.ts';
import { keyReused } from './run-with-key.ts';

export type SignalDeps = JobAnswerDeps & CoreDeps;

const BODY = {
  limitBytes: LIMITS.signalBytes,
  advice: 'signal where the large part can be fetched',
};

/** `POST /jobs/{jobId}/signals/{name}` */
export function signalRoute(deps: SignalDeps): Serve {
  return async (request) => {
    const own = ownJobOf(request, routeOf('signalJob'));
    const name = signalName(request.event.pathParameters?.name ?? '');
    const body = jsonBodyOf(request.event, BODY);
    const signalId = idempotencyKeyOf(request.event);
    const result = await signalJob(deps, {
      ...own,
      name,
      body,
      ...(signalId !== undefined && { signalId }),
    });
    if (result === undefined) throw noSuchJob(own.jobId);
    if (result.outcome === 'id_reused') throw keyReused();
    if (result.outcome === 'too_many') throw tooManySignals(result.job);
    if (result.outcome === 'refused') throw conflict('signal', result.job);
    return jobAnswer(deps, request, own, 202);
  };
}

function signalName(text: string): string {
  const parsed = signalNameSchema.safeParse(text);
  if (parsed.success) return parsed.data;
  throw new RequestRefused(
    'invalid_request',
    `${JSON.stringify(text)} in the path: ${parsed.error.issues[0]?.message ?? ''}`,
  );
}
