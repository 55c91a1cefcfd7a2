import { type CheckDeps, checkSubmission } from '../../src/core/commands/check-submission.ts';
import {
  putSchedule,
  type PutScheduleDeps,
  type PutScheduleResult,
} from '../../src/core/schedules/put-schedule.ts';
import type { ScheduledJob, ScheduleId } from '../../src/core/schedules/schedule.ts';
import { hasCode } from '../../src/errors.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { scheduleRequestSchema } from '../../src/protocol/schedule.ts';
import { type AskedTiming, timingFaults } from '../../src/recurrence/timing-faults.ts';
import { type Caller, callerOf } from './caller.ts';
import { checkedBody } from './checked-body.ts';
import type { WebhookRules } from './checked-notify.ts';
import { faultyRequest } from './faults.ts';
import type { Serve } from './http-handler.ts';
import { jsonBodyOf } from './json-body.ts';
import { ownScheduleOf } from './own-schedule.ts';
import { RequestRefused } from './request-refused.ts';
import { routeOf } from './route-of.ts';
import { scheduleRepresentation } from './schedule-representation.ts';
import { requireUnconfigured, type ScheduleRouteDeps, scheduleRaced } from './schedule-routes.ts';
import { submissionOf } from './submission-of.ts';
import { submissionRefused } from './submission-refusals.ts';

export type PutScheduleRouteDeps = ScheduleRouteDeps &
  PutScheduleDeps &
  CheckDeps & { readonly webhooks: WebhookRules };

const BODY = {
  limitBytes: LIMITS.scheduleBytes,
  advice: 'let a step of the agent fetch what is large',
};

/** `PUT /schedules/{name}` */
export function putScheduleRoute(deps: PutScheduleRouteDeps): Serve {
  return async (request) => {
    const id = ownScheduleOf(request, routeOf('putSchedule'));
    const { expression, timezone, startAt, endAt, ...job } = checkedBody(
      scheduleRequestSchema,
      jsonBodyOf(request.event, BODY),
    );
    requireUnconfigured(deps, id);
    const timing = {
      expression,
      timezone,
      ...(startAt !== undefined && { startAt: Date.parse(startAt) }),
      ...(endAt !== undefined && { endAt: Date.parse(endAt) }),
    };
    checkTiming(timing, deps.clock.now());
    await checkJob(deps, callerOf(request.event), job as ScheduledJob);
    const asked = { ...id, timing, job: job as ScheduledJob };
    const result = await putSchedule(deps, asked).catch(untaken);
    const schedule = scheduleOf(deps, result, id);
    const lastRun = await deps.schedules.findRun(id);
    return {
      status: result.outcome === 'created' ? 201 : 200,
      body: scheduleRepresentation({ schedule, ...(lastRun && { lastRun }) }, deps.clock.now()),
    };
  };
}

function checkTiming(timing: AskedTiming, now: number): void {
  const faults = timingFaults(timing, now);
  if (faults.length > 0) throw faultyRequest('invalid_schedule', faults);
}

/** What passed our own checks and not those of EventBridge stays as it was asked for, without a trigger. */
function untaken(error: unknown): never {
  if (!hasCode(error, 'invalid_schedule')) throw error;
  throw new RequestRefused(
    'invalid_schedule',
    `EventBridge Scheduler does not take it: ${error.message} The schedule stays pending, and has no runs: send another one, or delete it`,
  );
}

/** As `POST /jobs` would check it now. */
async function checkJob(
  deps: PutScheduleRouteDeps,
  caller: Caller,
  job: ScheduledJob,
): Promise<void> {
  const body = job as Parameters<typeof submissionOf>[1];
  const check = await checkSubmission(
    deps,
    submissionOf(caller, body, { webhooks: deps.webhooks }),
  );
  if (!check.valid) throw submissionRefused(check, job.agent);
}

function scheduleOf(
  { maxPerTenant }: Pick<PutScheduleDeps, 'maxPerTenant'>,
  result: PutScheduleResult,
  { name }: ScheduleId,
) {
  switch (result.outcome) {
    case 'created':
    case 'replaced':
      return result.schedule;
    case 'too_many':
      throw new RequestRefused(
        'too_many_schedules',
        `a tenant may have ${maxPerTenant} schedules, and this one has as many: delete one, or have the limit raised (schedulesPerTenant)`,
      );
    case 'raced':
      throw scheduleRaced(name);
  }
}
