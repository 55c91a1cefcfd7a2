import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { cronRun } from '../../../local/schedules/cron.ts';
import { rateMs } from '../../../local/schedules/rate.ts';
import { aFunction } from './support/fixture-app.ts';
import { startFixture, type FixtureCloud } from './support/fixture-cloud.ts';
import { Reports } from './support/reports.ts';
import { waitFor } from './support/wait-for.ts';

let cloud: FixtureCloud;
let reports: Reports;

const target = (properties: object = {}) => ({
  Arn: { 'Fn::GetAtt': ['Worker', 'Arn'] },
  ...properties,
});

beforeAll(async () => {
  reports = await Reports.listen();
  cloud = await startFixture({
    Resources: {
      Worker: aFunction('worker', { Environment: { Variables: { REPORT_URL: reports.url } } }),
      EveryMinute: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(1 minute)',
          FlexibleTimeWindow: { Mode: 'OFF' },
          Target: target({
            RoleArn: 'arn:aws:iam::000000000000:role/r',
            Input: '{"by":"schedule","at":"<aws.scheduler.scheduled-time>"}',
          }),
        },
      },
      Hourly: {
        Type: 'AWS::Events::Rule',
        Properties: { ScheduleExpression: 'rate(1 hour)', Targets: [target({ Id: 'T' })] },
      },
      Off: {
        Type: 'AWS::Scheduler::Schedule',
        Properties: {
          ScheduleExpression: 'rate(1 minute)',
          State: 'DISABLED',
          FlexibleTimeWindow: { Mode: 'OFF' },
          Target: target({ RoleArn: 'r', Input: '{"by":"nobody"}' }),
        },
      },
    },
  });
});

afterAll(async () => {
  await cloud.stop();
  await reports.close();
});

const events = () => reports.received.map(({ event }) => event as unknown);

const fromSchedule = {
  by: 'schedule',
  at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/),
};

describe('cron expressions', () => {
  it.each([
    ['cron(0 12 ? * 1 *)', 'UTC', '2030-01-06T12:00:00.000Z'],
    ['cron(30 2 ? * SUN#2 *)', 'Europe/Berlin', '2030-01-13T01:30:00.000Z'],
    ['cron(0 0 L * ? *)', 'UTC', '2030-01-31T00:00:00.000Z'],
  ])('%s in %s is due next at %s', (expression, timezone, expected) => {
    const after = Date.parse('2030-01-01T12:00:00Z');
    const run = cronRun('Thing', expression, { timezone, after });
    expect(new Date(run ?? 0).toISOString()).toBe(expected);
  });
});

describe('schedules', () => {
  it('fire at the start, with their input', async () => {
    await waitFor('both enabled schedules', () => events().length >= 2);

    expect(events()).toContainEqual(fromSchedule);
    expect(events()).toContainEqual(
      expect.objectContaining({
        source: 'aws.events',
        'detail-type': 'Scheduled Event',
        resources: ['arn:aws:events:us-east-1:000000000000:rule/Fixture-Hourly'],
      }),
    );
  });

  it('fire when they are told to, by name or all', async () => {
    await waitFor('the firing at the start', () => events().length >= 2);
    reports.received.length = 0;

    const fired = await cloud.control('POST', '/schedules/fire', { name: 'everyminute' });

    expect(fired).toEqual({ fired: ['Fixture-EveryMinute'] });
    await waitFor('the firing', () => events().length > 0);
    expect(events()).toEqual([fromSchedule]);
  });

  it.each([
    { expression: 'rate(1 minute)', expected: 60_000 },
    { expression: 'rate(5 minutes)', expected: 300_000 },
    { expression: 'rate(2 hours)', expected: 7_200_000 },
    { expression: 'rate(1 day)', expected: 86_400_000 },
  ])('read $expression', ({ expression, expected }) => {
    expect(rateMs('Thing', expression)).toBe(expected);
  });
});
