import { createHash } from 'node:crypto';
import {
  ConflictException,
  CreateScheduleCommand,
  type CreateScheduleCommandInput,
  DeleteScheduleCommand,
  ResourceNotFoundException,
  SchedulerClient,
  UpdateScheduleCommand,
  ValidationException,
} from '@aws-sdk/client-scheduler';
import type { ScheduleTrigger } from '../../core/ports/schedule-trigger.ts';
import type { Schedule, ScheduleId } from '../../core/schedules/schedule.ts';
import { AppError } from '../../errors.ts';
import { AWS_CLIENT } from '../../settings/aws-client.ts';
import { SCHEDULED_TIME, TRIGGER_RETRY } from '../../settings/schedule-trigger.ts';

/** Where the schedules of a deployment are. */
export interface ScheduleGroup {
  readonly client: SchedulerClient;
  readonly group: string;
}

/** What they start, and as whom. */
export interface ScheduleTarget {
  readonly functionArn: string;
  readonly roleArn: string;
  /** Queue for what could not be started. */
  readonly deadLetterArn: string;
}

export const schedulerClient = (): SchedulerClient => new SchedulerClient(AWS_CLIENT);

/** Schedules of EventBridge Scheduler, one for each schedule of a tenant. `target` is asked when one is set. */
export function eventBridgeTrigger(
  { client, group }: ScheduleGroup,
  target: () => ScheduleTarget,
): ScheduleTrigger {
  return {
    set: async (schedule, { startAt }) => {
      await setTrigger(client, triggerOf(schedule, { group, startAt, target: target() }));
    },
    remove: (id) => removeTrigger({ client, group }, id),
  };
}

/** Others may make the trigger or remove it between two requests of ours. */
const TRIES = 3;

/** @throws AppError `invalid_schedule` for one that EventBridge does not take */
async function setTrigger(
  client: SchedulerClient,
  input: CreateScheduleCommandInput,
): Promise<void> {
  let error: unknown;
  for (let tries = 0; tries < TRIES; tries += 1) {
    error = await failureOf(client.send(new CreateScheduleCommand(input)));
    if (!(error instanceof ConflictException)) break;
    error = await failureOf(client.send(new UpdateScheduleCommand(input)));
    if (!isRace(error)) break;
  }
  if (error === undefined) return;
  if (error instanceof ValidationException) {
    throw new AppError(error.message, { code: 'invalid_schedule', cause: error });
  }
  throw isRace(error) ? raced(error) : (error as Error);
}

/** Gone meanwhile, or in the hands of another request. */
function isRace(error: unknown): boolean {
  return error instanceof ResourceNotFoundException || error instanceof ConflictException;
}

function raced(cause: unknown): AppError {
  return new AppError('the trigger is changed by other requests at the same time: try again', {
    code: 'unavailable',
    retryable: true,
    cause,
  });
}

async function failureOf(request: Promise<unknown>): Promise<unknown> {
  try {
    await request;
    return undefined;
  } catch (error) {
    return error;
  }
}

/** Removes the trigger of a schedule, if there is one. */
export async function removeTrigger(
  { client, group }: ScheduleGroup,
  id: ScheduleId,
): Promise<void> {
  try {
    await client.send(new DeleteScheduleCommand({ GroupName: group, Name: triggerName(id) }));
  } catch (error) {
    if (error instanceof ConflictException) throw raced(error);
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}

const RETRY = {
  MaximumEventAgeInSeconds: TRIGGER_RETRY.maximumEventAgeInSeconds,
  MaximumRetryAttempts: TRIGGER_RETRY.maximumRetryAttempts,
};

function triggerOf(
  { tenantId, name, revision, timing, isPaused }: Schedule,
  {
    group,
    startAt,
    target,
  }: {
    readonly group: string;
    readonly startAt: number | undefined;
    readonly target: ScheduleTarget;
  },
): CreateScheduleCommandInput {
  return {
    GroupName: group,
    Name: triggerName({ tenantId, name }),
    Description: `Schedule ${name} of tenant ${tenantId}`,
    ScheduleExpression: timing.expression,
    ScheduleExpressionTimezone: timing.timezone,
    State: isPaused ? 'DISABLED' : 'ENABLED',
    FlexibleTimeWindow: { Mode: 'OFF' },
    // One that has come to its end does not count against the account's quota.
    ActionAfterCompletion: 'DELETE',
    ...(startAt !== undefined && { StartDate: wholeSecond(startAt) }),
    ...(timing.endAt !== undefined && { EndDate: wholeSecond(timing.endAt) }),
    Target: {
      Arn: target.functionArn,
      RoleArn: target.roleArn,
      Input: JSON.stringify({
        tenantId,
        schedule: name,
        revision,
        scheduledAt: SCHEDULED_TIME,
      }),
      RetryPolicy: RETRY,
      DeadLetterConfig: { Arn: target.deadLetterArn },
    },
  };
}

/** EventBridge knows no smaller units. */
const wholeSecond = (instant: number): Date => new Date(Math.floor(instant / 1_000) * 1_000);

const READABLE = 20;

/** Within the 64 characters that EventBridge takes: readable as far as they go, told apart by a hash. */
export function triggerName({ tenantId, name }: ScheduleId): string {
  const hash = createHash('sha256').update(`${tenantId}#${name}`).digest('hex').slice(0, 20);
  return [tenantId.slice(0, READABLE), name.slice(0, READABLE), hash].join('.');
}
