import { afterEach, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import type { QueueLevels } from '../../../local/emulators/queue-levels.ts';
import { Monitoring } from '../../../local/monitoring/monitoring.ts';
import { deploy } from '../../../local/template/deployment.ts';
import { readAssembly } from '../../../local/template/read-assembly.ts';
import { aFunction, type FixtureResource, writeAssembly } from './support/fixture-app.ts';

const NOON = Date.UTC(2030, 0, 1, 12);
const MINUTE = 60_000;
const addresses = { queues: 'http://127.0.0.1:1', gateway: 'http://127.0.0.1:2' };
const written: string[] = [];

afterEach(async () => {
  await Promise.all(written.splice(0).map((path) => rm(path, { recursive: true, force: true })));
});

/** Monitoring of a template, at an instant that only the test moves. */
class World {
  now = NOON;
  queues: QueueLevels[] = [];
  readonly monitoring: Monitoring;

  private constructor(deployment: ReturnType<typeof deploy>) {
    this.monitoring = new Monitoring(
      deployment,
      () => Promise.resolve(this.queues),
      () => this.now,
    );
  }

  static async of(Resources: Readonly<Record<string, FixtureResource>>): Promise<World> {
    const directory = await writeAssembly({ Resources });
    written.push(directory);
    return new World(deploy(await readAssembly(directory), addresses));
  }

  /** A function prints values of the metric `Own/Things`. */
  print(...values: readonly number[]): void {
    const directive = {
      Namespace: 'Own',
      Dimensions: [['service']],
      Metrics: [{ Name: 'Things' }],
    };
    this.monitoring.line(
      'fn',
      JSON.stringify({
        _aws: { Timestamp: this.now, CloudWatchMetrics: [directive] },
        service: 'own',
        Things: values,
      }),
    );
  }

  async report(name = 'Thing'): Promise<Record<string, unknown>> {
    const found = (await this.monitoring.alarms()).find((alarm) => alarm.name === name);
    return { ...found };
  }
}

const ofThings = {
  Namespace: 'Own',
  MetricName: 'Things',
  Dimensions: [{ Name: 'service', Value: 'own' }],
};

const anAlarm = (properties: object = {}): FixtureResource => ({
  Type: 'AWS::CloudWatch::Alarm',
  Properties: {
    AlarmName: 'Thing',
    ComparisonOperator: 'GreaterThanThreshold',
    EvaluationPeriods: 1,
    Threshold: 10,
    TreatMissingData: 'notBreaching',
    ...('Metrics' in properties ? {} : { ...ofThings, Statistic: 'Sum', Period: 300 }),
    ...properties,
  },
});

const math = (Expression: string) => ({
  Metrics: [
    { Id: 'expr_1', Expression, Label: 'all', ReturnData: true },
    ...['own', 'other'].map((Value) => ({
      Id: `m_${Value}`,
      MetricStat: {
        Metric: { ...ofThings, Dimensions: [{ Name: 'service', Value }] },
        Period: 300,
        Stat: 'Sum',
      },
      ReturnData: false,
    })),
  ],
});

describe('an alarm of the template', () => {
  it('goes by what functions print in the embedded metric format, over its period', async () => {
    const world = await World.of({ Alarm: anAlarm() });
    expect(await world.report()).toMatchObject({ state: 'OK', value: null });

    world.print(4, 6);
    expect(await world.report()).toMatchObject({ state: 'OK', value: 10 });
    world.now += 4 * MINUTE;
    world.print(1);
    expect(await world.report()).toMatchObject({
      state: 'ALARM',
      value: 11,
      metric: 'Sum of Own/Things',
      threshold: 10,
      periodSeconds: 300,
    });

    world.now += 2 * MINUTE;
    expect(await world.report()).toMatchObject({ state: 'OK', value: 1 });
  });

  it.each([
    { statistic: { Statistic: 'Sum' }, value: 110 },
    { statistic: { Statistic: 'Maximum' }, value: 100 },
    { statistic: { Statistic: 'Minimum' }, value: 1 },
    { statistic: { Statistic: 'Average' }, value: 11 },
    { statistic: { Statistic: 'SampleCount' }, value: 10 },
    { statistic: { ExtendedStatistic: 'p50', Statistic: undefined }, value: 1 },
    { statistic: { ExtendedStatistic: 'p95', Statistic: undefined }, value: 100 },
  ])('has the statistic $statistic', async ({ statistic, value }) => {
    const world = await World.of({ Alarm: anAlarm(statistic) });

    world.print(1, 1, 1, 1, 1, 1, 1, 1, 2, 100);

    expect(await world.report()).toMatchObject({ value });
  });

  it.each([
    { missing: 'breaching', state: 'ALARM' },
    { missing: 'notBreaching', state: 'OK' },
    { missing: 'missing', state: 'INSUFFICIENT_DATA' },
    { missing: undefined, state: 'INSUFFICIENT_DATA' },
  ])('takes missing data as $missing: $state', async ({ missing, state }) => {
    const world = await World.of({ Alarm: anAlarm({ TreatMissingData: missing }) });

    expect(await world.report()).toMatchObject({ state, value: null });
  });

  it('over several periods needs all of them', async () => {
    const world = await World.of({ Alarm: anAlarm({ EvaluationPeriods: 3, Threshold: 0 }) });

    world.print(1);
    world.now += 5 * MINUTE;
    world.print(1);
    expect(await world.report()).toMatchObject({
      state: 'OK',
      value: 1,
      periods: { evaluated: 3, needed: 3, breaching: 2 },
    });
    world.now += 5 * MINUTE;
    world.print(1);
    expect(await world.report()).toMatchObject({ state: 'ALARM', periods: { breaching: 3 } });
  });

  it('needs no more than its datapoints to alarm', async () => {
    const over = { EvaluationPeriods: 3, DatapointsToAlarm: 1, Threshold: 0 };
    const world = await World.of({ Alarm: anAlarm(over) });

    world.print(1);
    world.now += 12 * MINUTE;

    expect(await world.report()).toMatchObject({ state: 'ALARM', value: null });
  });

  it('below a floor goes off when nothing comes', async () => {
    const floor = {
      ComparisonOperator: 'LessThanThreshold',
      Threshold: 1,
      TreatMissingData: 'breaching',
    };
    const world = await World.of({ Alarm: anAlarm(floor) });

    expect(await world.report()).toMatchObject({ state: 'ALARM' });
    world.print(1);
    expect(await world.report()).toMatchObject({ state: 'OK' });
  });

  it.each([
    { expression: 'SUM(METRICS())', value: 7 },
    { expression: 'MAX(METRICS())', value: 4 },
    { expression: 'FILL(m_own, 0) + FILL(m_other, 0)', value: 7 },
    { expression: 'FILL(m_own, 0) + FILL(m_nobody, 5)', value: 8 },
  ])('over metric math: $expression', async ({ expression, value }) => {
    const world = await World.of({ Alarm: anAlarm(math(expression)) });
    const other = { ...ofThings, Dimensions: undefined, dimensions: { service: 'other' } };
    expect((await world.report())['state']).toBe('OK');

    world.print(3);
    world.monitoring.measure({
      metric: { namespace: 'Own', name: 'Things', dimensions: other.dimensions },
      values: [4],
    });

    expect(await world.report()).toMatchObject({ value, metric: expression });
  });

  it('sees a queue as it is now, and its past minute by minute', async () => {
    const ofDepth = {
      Namespace: 'AWS/SQS',
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Dimensions: [{ Name: 'QueueName', Value: 'letters' }],
      Statistic: 'Maximum',
      Period: 60,
      EvaluationPeriods: 2,
      Threshold: 0,
    };
    const world = await World.of({ Alarm: anAlarm(ofDepth) });
    const full = { queue: 'letters', visible: 2, inFlight: 0, delayed: 0, oldestSentAt: NOON };

    world.queues = [full];
    expect(await world.report()).toMatchObject({ state: 'OK', value: 2 });
    world.now += MINUTE;
    expect(await world.report()).toMatchObject({ state: 'ALARM', value: 2 });
    world.queues = [{ ...full, visible: 0, oldestSentAt: null }];
    expect(await world.report()).toMatchObject({ state: 'OK', value: 0 });
    expect(await world.monitoring.metrics({ name: 'ApproximateAgeOfOldestMessage' })).toMatchObject(
      [{ dimensions: { QueueName: 'letters' }, minimum: 0 }],
    );
  });

  it('over others goes off with the first of them, and tells nobody while it is suppressed', async () => {
    const arnOf = (id: string) => ({ 'Fn::GetAtt': [id, 'Arn'] });
    const world = await World.of({
      Alarm: anAlarm(),
      Quiet: anAlarm({ AlarmName: 'Quiet', Threshold: 100 }),
      Any: {
        Type: 'AWS::CloudWatch::CompositeAlarm',
        Properties: {
          AlarmName: 'Any',
          AlarmRule: {
            'Fn::Join': ['', ['(ALARM("', arnOf('Alarm'), '") OR ALARM("', arnOf('Quiet'), '"))']],
          },
          ActionsSuppressor: arnOf('Quiet'),
        },
      },
    });

    expect(await world.report('Any')).toEqual({
      name: 'Any',
      state: 'OK',
      because: [],
      tells: true,
    });
    world.print(11);
    expect(await world.report('Any')).toMatchObject({
      state: 'ALARM',
      because: ['Thing'],
      tells: true,
    });
    world.print(100);
    expect(await world.report('Any')).toMatchObject({ because: ['Thing', 'Quiet'], tells: false });
  });
});

describe('metrics', () => {
  it('are kept by dimensions, for an hour, until they are forgotten', async () => {
    const world = await World.of({});
    const { monitoring } = world;
    const line = {
      _aws: {
        CloudWatchMetrics: [
          { Namespace: 'Own', Dimensions: [[], ['kind']], Metrics: [{ Name: 'Ms' }] },
        ],
      },
      kind: 'slow',
      Ms: 12,
    };
    monitoring.line('fn', JSON.stringify(line));
    monitoring.line('fn', 'not "_aws" at all');

    const expected = {
      namespace: 'Own',
      name: 'Ms',
      sum: 12,
      count: 1,
      minimum: 12,
      maximum: 12,
      last: 12,
    };
    expect(await monitoring.metrics({ namespace: 'Own' })).toEqual([
      { ...expected, dimensions: {} },
      { ...expected, dimensions: { kind: 'slow' } },
    ]);
    expect(await monitoring.metrics({ name: 'Other' })).toEqual([]);
    world.now += 61 * MINUTE;
    expect(await monitoring.metrics({})).toEqual([]);
    world.print(1);
    expect(await monitoring.metrics({})).toHaveLength(1);
    monitoring.forget();
    expect(await monitoring.metrics({})).toEqual([]);
  });

  it('are made of log lines by the filters of the template', async () => {
    const filter = (FilterPattern: string, MetricName: string): FixtureResource => ({
      Type: 'AWS::Logs::MetricFilter',
      Properties: {
        FilterPattern,
        LogGroupName: { Ref: 'Logs' },
        MetricTransformations: [{ MetricName, MetricNamespace: 'Own', MetricValue: '2' }],
      },
    });
    const world = await World.of({
      Logs: { Type: 'AWS::Logs::LogGroup' },
      Fn: aFunction('echo', { FunctionName: 'fn', LoggingConfig: { LogGroup: { Ref: 'Logs' } } }),
      Any: filter('?"out of memory" ?killed', 'Any'),
      All: filter('"out of memory" killed', 'All'),
    });

    world.monitoring.line('fn', 'killed: it ran out of memory');
    world.monitoring.line('fn', 'killed by a test');
    world.monitoring.line('fn', 'out of luck');
    world.monitoring.line('another', 'killed: it ran out of memory');

    const sums = (await world.monitoring.metrics({})).map(({ name, sum }) => [name, sum]);
    expect(Object.fromEntries(sums)).toEqual({ Any: 4, All: 2 });
  });
});

describe('what the local cloud refuses to watch', () => {
  const alarm = (properties: object) => ({ Alarm: anAlarm(properties) });

  it.each([
    {
      name: 'a statistic',
      resources: alarm({ Statistic: undefined, ExtendedStatistic: 'tm90' }),
      error: /^Alarm: unknown statistic tm90; known: Sum, /,
    },
    {
      name: 'metric math',
      resources: alarm(math('RATE(m_own)')),
      error: /^Alarm: unknown expression RATE\(m_own\); known: SUM\(METRICS\(\)\)/,
    },
    {
      name: 'a comparison',
      resources: alarm({ ComparisonOperator: 'LessThanLowerThreshold' }),
      error: /^Alarm: unknown comparison LessThanLowerThreshold/,
    },
    {
      name: 'a treatment of missing data',
      resources: alarm({ TreatMissingData: 'ignore' }),
      error: /^Alarm .*unknown value "ignore" of TreatMissingData/,
    },
    {
      name: 'a composite rule',
      resources: {
        ...alarm({}),
        Any: {
          Type: 'AWS::CloudWatch::CompositeAlarm',
          Properties: { AlarmName: 'Any', AlarmRule: 'ALARM("Thing") AND NOT OK("Thing")' },
        },
      },
      error: /^Any: unknown rule ALARM/,
    },
    {
      name: 'a filter pattern',
      resources: {
        Logs: { Type: 'AWS::Logs::LogGroup' },
        Fn: aFunction('echo', { LoggingConfig: { LogGroup: { Ref: 'Logs' } } }),
        Filter: {
          Type: 'AWS::Logs::MetricFilter',
          Properties: {
            FilterPattern: '{ $.level = "ERROR" }',
            LogGroupName: { Ref: 'Logs' },
            MetricTransformations: [],
          },
        },
      },
      error: /^Filter: unknown filter pattern \{ \$\.level/,
    },
    {
      name: 'logs of no function',
      resources: {
        Filter: {
          Type: 'AWS::Logs::MetricFilter',
          Properties: {
            FilterPattern: 'x',
            LogGroupName: '/nobody',
            MetricTransformations: [],
          },
        },
      },
      error: /^Filter: no function of the template logs to \/nobody/,
    },
  ])('$name it does not know', async ({ resources, error }) => {
    await expect(World.of(resources)).rejects.toThrow(error);
  });
});
