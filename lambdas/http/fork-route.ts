import type { RunOnce } from '../../src/adapters/idempotency/powertools-run-once.ts';
import type { JobCommand } from '../../src/core/commands/control-job.ts';
import { forkJob, type ForkDeps as CoreDeps } from '../../src/core/commands/fork-job.ts';
import { findOwnJob } from '../../src/core/commands/read-job.ts';
import { canonicalJson } from '../../src/core/job/canonical-json.ts';
import type { Job } from '../../src/core/job/job.ts';
import { type ForkRequest, forkRequestSchema } from '../../src/protocol/command-requests.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { acceptedAnswer } from './accepted-answer.ts';
import { requireAgent } from './agent-refused.ts';
import { callerOf } from './caller.ts';
import { checkedBody } from './checked-body.ts';
import { checkHints, conflict, unknownStep } from './command-refusals.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import { idempotencyKeyOf } from './idempotency-key.ts';
import { acceptedJob } from './job-representation.ts';
import { jsonBodyOf } from './json-body.ts';
import { noSuchJob, ownJobOf } from './own-job.ts';
import { pathsOf } from './request.ts';
import { routeOf } from './route-of.ts';
import { runWithKey } from './run-with-key.ts';

export type ForkDeps = CoreDeps & { readonly runOnce: RunOnce };

/** What is remembered under a key; the rest of the answer follows from the job that was forked. */
interface Forked {
  readonly jobId: string;
  readonly createdAt: number;
}

const BODY = { limitBytes: LIMITS.commandBytes, advice: 'a command takes a few short fields' };

/** `POST /jobs/{jobId}/fork` */
export function forkRoute(deps: ForkDeps): Serve {
  return async (request) => {
    const own = ownJobOf(request, routeOf('forkJob'));
    const asked = checkedBody(forkRequestSchema, jsonBodyOf(request.event, BODY));
    const key = idempotencyKeyOf(request.event);
    const of = await findOwnJob(deps.jobs, own);
    if (of === undefined) throw noSuchJob(own.jobId);
    requireAgent(callerOf(request.event), of.agent);
    const { forked, replayed } = await fork(deps, request, { own, of, asked, key });
    const { agent, limits, metadata, notify, tags, hints = [], jobId: forkOf } = of;
    const job = {
      ...forked,
      agent,
      forkOf,
      hints: asked.hint === undefined ? hints : [...hints, asked.hint],
      ...(limits !== undefined && { limits }),
      ...(metadata !== undefined && { metadata }),
      ...(notify !== undefined && { notify }),
      ...(tags !== undefined && { tags }),
    };
    request.note({ fork: forked.jobId, ...(replayed && { replayed }) });
    return acceptedAnswer(acceptedJob(job, pathsOf(request.event)), replayed);
  };
}

interface Fork {
  readonly own: JobCommand;
  readonly of: Job;
  readonly asked: ForkRequest;
  readonly key: string | undefined;
}

async function fork(
  deps: ForkDeps,
  { context }: HttpRequest,
  { own, of, asked, key }: Fork,
): Promise<{ forked: Forked; replayed: boolean }> {
  const fingerprint = deps.ids.sha256(canonicalJson(asked));
  const work = async (): Promise<Forked> => {
    checkHints(of, asked.hint);
    // With the fingerprint: pages come before the job, and those of two requests under one key must not mix.
    const idempotencyKey = key === undefined ? undefined : `${key}\n${fingerprint}`;
    const { fromStep, hint } = asked;
    const result = await forkJob(deps, {
      ...own,
      fromStep,
      ...(hint !== undefined && { hint }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    });
    // Thrown, not returned: what is returned would be remembered under the key.
    if (result === undefined) throw noSuchJob(own.jobId);
    if (result.outcome === 'unknown_step') throw unknownStep(fromStep, result.steps);
    if (result.outcome === 'refused') throw conflict('fork', result.job);
    return { jobId: result.job.jobId, createdAt: result.job.createdAt };
  };
  if (key === undefined) return { forked: await work(), replayed: false };
  const use = {
    tenantId: own.tenantId,
    // A key of this job: the same key on a submit is another one.
    key: `fork\n${own.jobId}\n${key}`,
    fingerprint,
    lifetimeSeconds: wholeDaysLeft(of, deps.clock.now()),
    remainingMs: context.getRemainingTimeInMillis(),
  };
  const { value: forked, replayed } = await runWithKey(deps.runOnce, use, work);
  return { forked, replayed };
}

const DAY_SECONDS = 86_400;

/** As long as the fork can be read; in days, since each lifetime keeps a layer of Powertools alive. */
function wholeDaysLeft({ expiresAtSeconds }: Job, now: number): number {
  return Math.max(1, Math.ceil((expiresAtSeconds - now / 1000) / DAY_SECONDS)) * DAY_SECONDS;
}
