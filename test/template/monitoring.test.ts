import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import { Longhaul } from '../../lib/longhaul.ts';
import { ALARMS, METRICS } from '../../src/settings/names.ts';
import { QUERIES } from '../../src/settings/queries.ts';
import { resourcesByPath, synthesize, WITHOUT_BUNDLING, withApp } from './synthesize.ts';

const { template } = synthesize();
const alarms = Object.values(resourcesByPath(template, 'AWS::CloudWatch::Alarm'));
const composites = Object.values(resourcesByPath(template, 'AWS::CloudWatch::CompositeAlarm'));
const runbook = readFileSync('docs/runbook.md', 'utf8');

const nameOf = (alarmName: unknown): string => String(alarmName).split('/').at(-1) ?? '';

const sectionOf = (name: string): string =>
  runbook.split(/^## /m).find((text) => text.startsWith(`${name}\n`)) ?? '';

describe('alarms', () => {
  it('are these, and one that keeps them quiet after a deploy', () => {
    const names = [...alarms, ...composites].map(({ Properties }) =>
      nameOf(Properties['AlarmName']),
    );

    expect(names.sort()).toEqual([...Object.values(ALARMS), 'Deploying'].sort());
  });

  it.each(Object.values(ALARMS))(
    '%s has a section in the runbook: symptom, meaning, where to look, what to do, how to prevent',
    (name) => {
      const parts = [...sectionOf(name).matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, part]) => part);

      expect(parts).toEqual(['Symptom', 'Meaning', 'Look here', 'Do this', 'Prevent']);
    },
  );

  it('link to their sections', () => {
    for (const { Properties } of alarms) {
      const name = nameOf(Properties['AlarmName']);
      if (name === 'Deploying') continue;
      expect(Properties['AlarmDescription']).toContain(`docs/runbook.md#${name.toLowerCase()}`);
    }
  });

  it('the first dead letter raises one, and an empty DLQ that reports nothing does not', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
    });
  });

  it('a sweeper that reports nothing raises one', () => {
    const silent = alarms.find(
      ({ Properties }) => nameOf(Properties['AlarmName']) === 'SweeperSilent',
    );

    expect(silent?.Properties).toMatchObject({
      Threshold: 1,
      ComparisonOperator: 'LessThanThreshold',
      TreatMissingData: 'breaching',
    });
  });

  it('go by thresholds of the configuration', () => {
    const custom = synthesize({
      alarms: { oldestMessageSeconds: 42, endToEndSeconds: 7 },
    }).template;

    custom.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateAgeOfOldestMessage',
      Threshold: 42,
    });
    custom.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: METRICS.names.endToEndMs,
      ExtendedStatistic: 'p95',
      Threshold: 7_000,
    });
  });

  it('are told by one alarm over all of them, to a topic and whoever is configured, and not during a deploy', () => {
    const [anyAlarm] = composites;
    const rule = JSON.stringify(anyAlarm?.Properties['AlarmRule']);

    expect(rule.match(/ALARM\(/g)).toHaveLength(alarms.length - 1);
    expect(anyAlarm?.Properties).toMatchObject({
      AlarmActions: [expect.anything()],
      OKActions: [expect.anything()],
      ActionsSuppressor: expect.anything(),
    });
    synthesize({ alarms: { email: 'night@example.com' } }).template.hasResourceProperties(
      'AWS::SNS::Subscription',
      { Protocol: 'email', Endpoint: 'night@example.com' },
    );
    template.resourceCountIs('AWS::SNS::Subscription', 0);
  });

  it('may publish to the topic, which our policy would keep CloudWatch from', () => {
    template.hasResourceProperties('AWS::SNS::TopicPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Allow',
            Action: 'sns:Publish',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
  });

  it('have names of their own when an app holds Longhaul twice', () => {
    const twice = withApp((app) => {
      const stack = new Stack(app, 'Mine');
      new Longhaul(stack, 'First', { agentsEntry: 'agents/index.ts' });
      new Longhaul(stack, 'Second', { agentsEntry: 'agents/index.ts' });
      return Template.fromStack(stack);
    }, WITHOUT_BUNDLING);
    const both = resourcesByPath(twice, 'AWS::CloudWatch::Alarm');

    const names = Object.values(both).map(({ Properties }) => String(Properties['AlarmName']));
    expect(new Set(names).size).toBe(2 * alarms.length);
    expect(names).toContain('Mine/First/DeadLetterQueueNotEmpty');
    expect(names).toContain('Mine/Second/DeadLetterQueueNotEmpty');
  });
});

describe('saved queries', () => {
  it.each(Object.entries(QUERIES))('%s is what the runbook shows', (name, { lines }) => {
    const text = lines.join('\n| ');

    expect(runbook).toContain(`\n${text}\n`);
    template.hasResourceProperties('AWS::Logs::QueryDefinition', {
      Name: Match.stringLikeRegexp(`/${name}$`),
      QueryString: text,
    });
  });
});

describe('dashboard', () => {
  const [dashboard] = Object.values(resourcesByPath(template, 'AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties['DashboardBody']);

  it.each([
    ...['Visible', 'NotVisible', 'Delayed', 'VisibleInQuietGroups'].map(
      (what) => `ApproximateNumberOfMessages${what}`,
    ),
    'ApproximateNumberOfNoisyGroups',
    'ApproximateAgeOfOldestMessage',
    'ConcurrentExecutions',
    'ConsumedWriteCapacityUnits',
    '5XXError',
    // The one that only an alarm goes by.
    ...Object.values(METRICS.names).filter((name) => name !== METRICS.names.deploying),
  ])('shows %s', (metric) => {
    // Not `toContain`: the body is long, and a failure would print all of it.
    expect({ metric, isShown: body.includes(metric) }).toEqual({ metric, isShown: true });
  });

  it('reads the metrics of the functions by the names and the dimension they are sent with', () => {
    expect(body).toContain(
      JSON.stringify(
        `"${METRICS.namespace}","${METRICS.names.jobsFailed}","service","${METRICS.service}"`,
      ).slice(1, -1),
    );
  });
});
