import { randomUUID } from 'node:crypto';
import type { Deployment } from '../template/deployment.ts';
import type { Properties } from '../template/properties.ts';
import { TemplateError } from '../template/template-error.ts';
import { arn, REGION, ACCOUNT } from '../template/identity.ts';
import { rateMs } from './rate.ts';

/** A function to be invoked at a fixed rate. */
export interface Schedule {
  readonly logicalId: string;
  readonly name: string;
  readonly intervalMs: number;
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
    const isRule = type === 'AWS::Events::Rule';
    const targets = isRule ? properties.list('Targets') : [properties.nested('Target')];
    return {
      logicalId,
      name,
      intervalMs: rateMs(logicalId, properties.text('ScheduleExpression')),
      enabled: properties.textOr('State', 'ENABLED') === 'ENABLED',
      targets: targets.map((target) => ({
        functionName: functionName(target),
        event: isRule ? ruleEvent(name, target) : scheduleEvent(name, target),
      })),
    };
  });
}

function functionName(target: Properties): string {
  const [, name] = /^arn:aws:lambda:[^:]+:\d+:function:([^:]+)$/.exec(target.text('Arn')) ?? [];
  if (name !== undefined) return name;
  throw new TemplateError(target.where, `unknown target ${target.text('Arn')}; known: functions`);
}

/** EventBridge Scheduler sends the input, with its context attributes filled in. */
function scheduleEvent(name: string, target: Properties): ScheduleTarget['event'] {
  const input = target.textOr('Input', '{}');
  const scheduleArn = arn('scheduler', `schedule/default/${name}`);
  return (at) =>
    input
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
