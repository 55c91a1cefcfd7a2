import {
  ConflictException,
  ResourceNotFoundException,
  SchedulerClient,
  ValidationException,
} from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { HttpServer } from '../../local/http-server.ts';
import { Scheduler } from '../../local/schedules/scheduler.ts';
import { SchedulerApi } from '../../local/schedules/scheduler-api.ts';
import { MemoryScheduleTrigger } from '../../src/adapters/memory/schedule-trigger.ts';
import { eventBridgeTrigger, triggerName } from '../../src/adapters/scheduler/schedule-trigger.ts';
import type { ScheduleTrigger } from '../../src/core/ports/schedule-trigger.ts';
import { aSchedule } from '../support/a-schedule.ts';

const TARGET = {
  functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:schedules',
  roleArn: 'arn:aws:iam::000000000000:role/trigger',
  deadLetterArn: 'arn:aws:sqs:us-east-1:000000000000:dead',
};

let server: HttpServer;
let client: SchedulerClient;
let played: SchedulerApi;

beforeAll(async () => {
  server = await HttpServer.listen(0);
  server.handle((message, response, url) => played.serve(message, response, url));
  client = new SchedulerClient({
    region: 'us-east-1',
    endpoint: server.address,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});

afterAll(async () => {
  client.destroy();
  await server.stop();
});

interface Made {
  readonly trigger: ScheduleTrigger;
  /** Revisions of the triggers there are. */
  readonly revisions: () => readonly string[];
}

function memory(): Made {
  const trigger = new MemoryScheduleTrigger();
  return {
    trigger,
    revisions: () => [...trigger.triggers.values()].map(({ schedule }) => schedule.revision),
  };
}

function emulated(): Made {
  played = new SchedulerApi(['jobs'], new Scheduler([], () => Promise.resolve()));
  return {
    trigger: eventBridgeTrigger({ client, group: 'jobs' }, () => TARGET),
    revisions: () =>
      made().map(({ Target }) => (JSON.parse(Target.Input) as { revision: string }).revision),
  };
}

const made = () =>
  played.made as unknown as readonly { State: string; Target: { Input: string } }[];

describe.each<[string, () => Made]>([
  ['memory', memory],
  ['EventBridge Scheduler of the local cloud', emulated],
])('schedule trigger: %s', (_name, make) => {
  it('has one trigger for a schedule, that of the last revision set', async () => {
    const { trigger, revisions } = make();
    await trigger.set(aSchedule(), {});
    await trigger.set(aSchedule({ revision: 'r2' }), {});
    expect(revisions()).toEqual(['r2']);
  });

  it('removes a trigger, and takes it well that there is none', async () => {
    const { trigger, revisions } = make();
    await trigger.set(aSchedule(), {});
    await trigger.remove(aSchedule({ name: 'other' }));
    expect(revisions()).toEqual(['r1']);
    await trigger.remove(aSchedule());
    await trigger.remove(aSchedule());
    expect(revisions()).toEqual([]);
  });
});

describe('a trigger of EventBridge Scheduler', () => {
  it('says what a firing has to know, and is off while its schedule is paused', async () => {
    const { trigger } = emulated();
    const startAt = Date.now() + 60_000;
    await trigger.set(aSchedule({ isPaused: true }), { startAt });
    expect(played.made).toMatchObject([
      {
        Key: `jobs/${triggerName(aSchedule())}`,
        State: 'DISABLED',
        ScheduleExpression: 'rate(1 hour)',
        ScheduleExpressionTimezone: 'UTC',
        ActionAfterCompletion: 'DELETE',
        StartDate: Math.floor(startAt / 1_000),
        Target: { Arn: TARGET.functionArn, RoleArn: TARGET.roleArn },
      },
    ]);
    expect(JSON.parse(made()[0]?.Target.Input ?? '')).toEqual({
      tenantId: 'acme',
      schedule: 'hourly',
      revision: 'r1',
      scheduledAt: '<aws.scheduler.scheduled-time>',
    });
  });

  /** A trigger of EventBridge whose requests are answered in this order, whatever they ask. */
  function answered(answers: readonly (Error | undefined)[]) {
    const asked: string[] = [];
    const left = [...answers];
    const send = (command: object) => {
      asked.push(command.constructor.name.replace('ScheduleCommand', ''));
      const error = left.shift();
      return error === undefined ? Promise.resolve({}) : Promise.reject(error);
    };
    const scheduler = { send } as unknown as SchedulerClient;
    return {
      asked,
      trigger: eventBridgeTrigger({ client: scheduler, group: 'jobs' }, () => TARGET),
    };
  }
  const facts = { $metadata: {}, message: 'it is so', Message: 'it is so' };
  const isThere = new ConflictException(facts);
  const isGone = new ResourceNotFoundException(facts);

  it('is made anew when another request has removed it between two of ours', async () => {
    const { trigger, asked } = answered([isThere, isGone, undefined]);
    await trigger.set(aSchedule(), {});
    expect(asked).toEqual(['Create', 'Update', 'Create']);
  });

  it.each([
    {
      name: 'set',
      fails: () =>
        answered(Array.from({ length: 6 }, (_, i) => (i % 2 ? isGone : isThere))).trigger.set(
          aSchedule(),
          {},
        ),
    },
    { name: 'removed', fails: () => answered([isThere]).trigger.remove(aSchedule()) },
  ])('that others change all the time cannot be $name just now', async ({ fails }) => {
    await expect(fails()).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('that EventBridge does not take is told from a failure', async () => {
    const { trigger } = answered([new ValidationException(facts)]);
    await expect(trigger.set(aSchedule(), {})).rejects.toMatchObject({
      code: 'invalid_schedule',
      message: 'it is so',
    });
  });

  it('has a name that EventBridge takes, and no other schedule has', () => {
    const long = 'x'.repeat(64);
    const names = [
      triggerName({ tenantId: long, name: long }),
      triggerName({ tenantId: long, name: `${long.slice(1)}y` }),
      triggerName({ tenantId: 'a', name: 'b' }),
    ];
    expect(new Set(names).size).toBe(3);
    for (const name of names) expect(name).toMatch(/^[0-9a-zA-Z._-]{1,64}$/);
  });
});
