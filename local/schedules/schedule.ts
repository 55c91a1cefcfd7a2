import { randomUUID } from 'node:crypto';
import type { Deployment } from '../template/deployment.ts';
import type { Properties } from '../template/properties.ts';
import { TemplateError } from '../template/template-error.ts';
import { arn, REGION, ACCOUNT } from '../template/identity.ts';
import { cronRun } from './cron.ts';
import { rateMs } from './rate.ts';

/** Functions to be invoked again and again. */
export interface Schedule {
  readonly logicalId: string;
  readonly name: string;
  /** Of a rate; a rate of the template fires at the start, too. */
  readonly intervalMs?: number;
  /** The next instant of a cron expression. */
  readonly nextAt?: (after: number) => number | undefined;
  readonly startAt?: number;
  readonly endAt?: number;
  readonly enabled: boolean;
  readonly targets: readonly ScheduleTarget[];
}

interface ScheduleTarget {
  readonly functionName: string;
  readonly event: (at: Date) => string;
}

export function schedules(deployment: Deployment): Schedule[] {
  return deployment.ofType('AWS::Scheduler::Schedule', 'AWS::Events::Rule').map((resource) => {
    const { logicalId, name, properties, type } = resource;
    if (type !== 'AWS::Events::Rule') return scheduleOf({ logicalId, name }, properties);
    return {
      ...timesOf(logicalId, properties),
      logicalId,
      name,
      enabled: isEnabled(properties),
      targets: properties.list('Targets').map((target) => ({
        functionName: functionName(target),
        event: ruleEvent(name, target),
      })),
    };
  });
}

/** A schedule of EventBridge Scheduler, from the template or from a request. */
export function scheduleOf(
  { logicalId, name }: Pick<Schedule, 'logicalId' | 'name'>,
  properties: Properties,
): Schedule {
  const target = properties.nested('Target');
  const group = properties.textOr('GroupName', 'default');
  const path = `${group}/${name.split('/').at(-1) ?? name}`;
  return {
    ...timesOf(logicalId, properties),
    ...boundsOf(properties),
    logicalId,
    name,
    enabled: isEnabled(properties),
    targets: [{ functionName: functionName(target), event: scheduleEvent(path, target) }],
  };
}

const isEnabled = (properties: Properties) => properties.textOr('State', 'ENABLED') === 'ENABLED';

function timesOf(where: string, properties: Properties): Pick<Schedule, 'intervalMs' | 'nextAt'> {
  const expression = properties.text('ScheduleExpression');
  if (!expression.startsWith('cron(')) return { intervalMs: rateMs(where, expression) };
  const timezone = properties.textOr('ScheduleExpressionTimezone', 'UTC');
  const nextAt = (after: number) => cronRun(where, expression, { timezone, after });
  // What cannot be read is refused now, and not when it is due.
  nextAt(0);
  return { nextAt };
}

/** ISO 8601 in a template, seconds in a request. */
function boundsOf(properties: Properties): Pick<Schedule, 'startAt' | 'endAt'> {
  const at = (name: string) => {
    const value = properties.raw(name);
    return typeof value === 'number' ? value * 1_000 : Date.parse(properties.text(name));
  };
  return {
    ...(properties.has('StartDate') && { startAt: at('StartDate') }),
    ...(properties.has('EndDate') && { endAt: at('EndDate') }),
  };
}

function functionName(target: Properties): string {
  const [, name] = /^arn:aws:lambda:[^:]+:\d+:function:([^:]+)$/.exec(target.text('Arn')) ?? [];
  if (name !== undefined) return name;
  throw new TemplateError(target.where, `unknown target ${target.text('Arn')}; known: functions`);
}

/** EventBridge Scheduler sends the input, with its context attributes filled in. */
function scheduleEvent(path: string, target: Properties): ScheduleTarget['event'] {
  const input = target.textOr('Input', '{}');
  const scheduleArn = arn('scheduler', `schedule/${path}`);
  return (at) => withContext(input, scheduleArn, at);
}

/** https://docs.aws.amazon.com/scheduler/latest/UserGuide/managing-schedule-context-attributes.html */
function withContext(input: string, scheduleArn: string, at: Date): string {
  return input
    .replaceAll('<aws.scheduler.schedule-arn>', scheduleArn)
    .replaceAll('<aws.scheduler.scheduled-time>', toSecond(at))
    .replaceAll('<aws.scheduler.execution-id>', randomUUID())
    .replaceAll('<aws.scheduler.attempt-number>', '1');
}

/** A rule without an input sends the event itself. */
function ruleEvent(name: string, target: Properties): ScheduleTarget['event'] {
  const input = target.textOr('Input', undefined);
  return (at) =>
    input ??
    JSON.stringify({
      version: '0',
      id: randomUUID(),
      'detail-type': 'Scheduled Event',
      source: 'aws.events',
      account: ACCOUNT,
      time: toSecond(at),
      region: REGION,
      resources: [arn('events', `rule/${name}`)],
      detail: {},
    });
}

const toSecond = (at: Date) => `${at.toISOString().slice(0, 19)}Z`;
