import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { Longhaul } from '../../lib/longhaul.ts';
import { ALARMS, METRICS } from '../../src/settings/names.ts';
import { resourcesByPath, synthesize, WITHOUT_BUNDLING, withApp } from './synthesize.ts';

const { template } = synthesize();
const alarms = Object.values(resourcesByPath(template, 'AWS::CloudWatch::Alarm'));
const runbook = readFileSync('docs/runbook.md', 'utf8');

describe('alarms', () => {
  it('are these', () => {
    const names = alarms.map(({ Properties }) => String(Properties['AlarmName']).split('/').at(-1));

    expect(names.sort()).toEqual(Object.values(ALARMS).sort());
  });

  it.each(Object.values(ALARMS))(
    '%s has a section in the runbook: symptom, meaning, where to look, what to do, how to prevent',
    (name) => {
      const section = runbook.split(/^## /m).find((text) => text.startsWith(`${name}\n`));
      const parts = [...(section ?? '').matchAll(/^\*\*(.+?)\.\*\*/gm)].map(([, part]) => part);

      expect(parts).toEqual(['Symptom', 'Meaning', 'Look here', 'Do this', 'Prevent']);
    },
  );

  it('the first dead letter raises one, and an empty DLQ that reports nothing does not', () => {
    template.hasResourceProperties('AWS::CloudWatch::Alarm', {
      MetricName: 'ApproximateNumberOfMessagesVisible',
      Threshold: 0,
      ComparisonOperator: 'GreaterThanThreshold',
      EvaluationPeriods: 1,
      TreatMissingData: 'notBreaching',
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

    expect(Object.values(both).map(({ Properties }) => Properties['AlarmName'])).toEqual([
      'Mine/First/DeadLetterQueueNotEmpty',
      'Mine/Second/DeadLetterQueueNotEmpty',
    ]);
  });
});

describe('dashboard', () => {
  const [dashboard] = Object.values(resourcesByPath(template, 'AWS::CloudWatch::Dashboard'));
  const body = JSON.stringify(dashboard?.Properties['DashboardBody']);

  it.each([
    'ApproximateNumberOfMessagesVisible',
    'ApproximateAgeOfOldestMessage',
    METRICS.names.jobsSubmitted,
    METRICS.names.jobsSucceeded,
    METRICS.names.jobsFailed,
    METRICS.names.jobsCancelled,
    METRICS.names.endToEndMs,
  ])('shows %s', (metric) => {
    expect(body).toContain(metric);
  });

  it('reads the metrics of the functions by the names and the dimension they are sent with', () => {
    expect(body).toContain(
      JSON.stringify(
        `"${METRICS.namespace}","${METRICS.names.jobsFailed}","service","${METRICS.service}"`,
      ).slice(1, -1),
    );
  });
});
