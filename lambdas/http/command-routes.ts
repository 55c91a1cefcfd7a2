import {
  cancelOwnJob,
  type JobCommand,
  pauseJob,
  resumeJob,
} from '../../src/core/commands/control-job.ts';
import { findOwnJob } from '../../src/core/commands/read-job.ts';
import { type RestartResult, restartJob } from '../../src/core/commands/restart-job.ts';
import type { CommandResult } from '../../src/core/engine/cancel-job.ts';
import type { DutyDeps } from '../../src/core/engine/duties.ts';
import { isFinal, type Job } from '../../src/core/job/job.ts';
import {
  noFieldsSchema,
  type RetryRequest,
  retryRequestSchema,
} from '../../src/protocol/command-requests.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import type { OperationId } from '../../src/protocol/routes.ts';
import { requireAgent } from './agent-refused.ts';
import { callerOf } from './caller.ts';
import { checkedBody } from './checked-body.ts';
import { conflict, refusedIn, restartFault, unknownStep } from './command-refusals.ts';
import { type ForkDeps, forkRoute } from './fork-route.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import type { HttpResponse } from './http-response.ts';
import { jobAnswer, type JobAnswerDeps } from './job-answer.ts';
import { jsonBodyOf } from './json-body.ts';
import { noSuchJob, ownJobOf } from './own-job.ts';
import { routeOf } from './route-of.ts';
import { type SignalDeps, signalRoute } from './signal-route.ts';

type ControlDeps = JobAnswerDeps & DutyDeps;
export type CommandRouteDeps = ControlDeps & ForkDeps & SignalDeps;

/** What changes a job from outside, by operation. */
export function commandRoutes(deps: CommandRouteDeps): Partial<Record<OperationId, Serve>> {
  return {
    cancelJob: control(deps, 'cancel', cancelOwnJob),
    pauseJob: control(deps, 'pause', pauseJob),
    resumeJob: control(deps, 'resume', resumeJob),
    retryJob: (request) => retry(deps, request),
    forkJob: forkRoute(deps),
    signalJob: signalRoute(deps),
  };
}

/** Of a command whose fields may all be left out. */
const OPTIONAL_BODY = {
  limitBytes: LIMITS.commandBytes,
  advice: 'a command takes a few short fields',
  whenEmpty: {},
};

function control(
  deps: ControlDeps,
  name: 'cancel' | 'pause' | 'resume',
  command: (deps: DutyDeps, of: JobCommand) => Promise<CommandResult | undefined>,
): Serve {
  return async (request) => {
    const own = ownJobOf(request, routeOf(`${name}Job`));
    checkedBody(noFieldsSchema, jsonBodyOf(request.event, OPTIONAL_BODY));
    const result = await command(deps, own);
    if (result === undefined) throw noSuchJob(own.jobId);
    if (result.outcome === 'refused') throw conflict(name, result.job);
    return jobAnswer(deps, request, own);
  };
}

async function retry(deps: ControlDeps, request: HttpRequest): Promise<HttpResponse> {
  const own = ownJobOf(request, routeOf('retryJob'));
  const asked = checkedBody(retryRequestSchema, jsonBodyOf(request.event, OPTIONAL_BODY));
  const job = await findOwnJob(deps.jobs, own);
  if (job === undefined) throw noSuchJob(own.jobId);
  requireAgent(callerOf(request.event), job.agent);
  if (isFinal(job.status)) checkRoom(job, asked);
  const { hint, fromStep } = asked;
  const result = await restartJob(deps, {
    ...own,
    ...(hint !== undefined && { hint }),
    ...(fromStep !== undefined && { fromStep }),
  });
  if (result === undefined) throw noSuchJob(own.jobId);
  checkRestarted(result, asked);
  return jobAnswer(deps, request, own);
}

function checkRoom(job: Job, { hint }: RetryRequest): void {
  const fault = restartFault(job, hint);
  if (fault !== undefined) throw refusedIn(job, fault);
}

/** Lets pass what is as it was asked for, by this request or by the same one before it, which may have been done since. */
function checkRestarted(result: RestartResult, asked: RetryRequest): void {
  if (result.outcome === 'unknown_step') throw unknownStep(asked.fromStep ?? '', result.steps);
  const { job } = result;
  if (job.status === 'failed' || job.status === 'cancelled') {
    throw refusedIn(job, 'what the job owes after its end is being done: try again shortly', {
      'retry-after': '2',
    });
  }
  if (isRestartOf(job, asked)) return;
  if (job.generation === 1 || job.status === 'succeeded') throw conflict('retry', job);
  throw refusedIn(
    job,
    `the job is ${job.status}, restarted already with another hint or step: wait until it has ended`,
  );
}

function isRestartOf(job: Job, { hint, fromStep }: RetryRequest): boolean {
  const { cuts = [], hints = [] } = job;
  if (job.generation === 1) return false;
  const keep = cuts.at(-1)?.keep;
  const cutBefore = typeof keep === 'object' ? keep.before : undefined;
  return cutBefore === fromStep && (hint === undefined || hints.at(-1) === hint);
}
