import { describe, expect, it } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { privileges } from './privileges.ts';
import { resourcesByPath, synthesize } from './synthesize.ts';

const HEAVY = {
  agents: ['ticket-report'],
  memoryMb: 2_048,
  timeoutSeconds: 900,
  batchSize: 1,
  maxConcurrency: 5,
};
const { template } = synthesize({ workers: { heavy: HEAVY } });
const rights = privileges(template);
const LANE_QUEUES = ['Queue/heavy/Jobs', 'Queue/heavy/Isolation'];

describe('a lane', () => {
  it('has a worker of its own with the memory, the time and the concurrency that it was given', () => {
    const functions = resourcesByPath(template, 'AWS::Lambda::Function');

    expect(functions['Longhaul/Workers/heavy/Function']?.Properties).toMatchObject({
      MemorySize: 2_048,
      Timeout: 900,
      Environment: { Variables: { LANE: 'heavy' } },
    });
    expect(functions['Longhaul/Worker/Function']?.Properties).toMatchObject({
      MemorySize: 512,
      Timeout: 300,
    });
    for (const batchSize of [1, 1]) {
      template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
        BatchSize: batchSize,
        FunctionName: { Ref: Match.stringLikeRegexp('Workersheavy') },
        ScalingConfig: { MaximumConcurrency: 5 },
      });
    }
  });

  it('has both queues of its own, whose messages are hidden as long as its worker takes, and the DLQ of all', () => {
    const queues = resourcesByPath(template, 'AWS::SQS::Queue');

    for (const path of LANE_QUEUES) {
      expect(queues[`Longhaul/${path}`]?.Properties).toMatchObject({
        VisibilityTimeout: 930,
        RedrivePolicy: {
          deadLetterTargetArn: {
            'Fn::GetAtt': [expect.stringContaining('QueueDeadLetters'), 'Arn'],
          },
        },
      });
    }
  });

  it.each([
    'Submit',
    'Api',
    'Schedules/Function',
    'Worker/Function',
    'Sweeper/Function',
    'Workers/heavy/Function',
  ])('is known to %s, which may send to it', (path) => {
    const variables = resourcesByPath(template, 'AWS::Lambda::Function')[`Longhaul/${path}`]
      ?.Properties['Environment'];
    const queues = ['Submit', 'Schedules/Function'].includes(path)
      ? LANE_QUEUES.slice(0, 1)
      : LANE_QUEUES;

    expect(JSON.stringify(variables)).toMatch(/heavy.*ticket-report.*QueueheavyJobs/);
    for (const queue of queues) {
      expect(rights[`Longhaul/${path}`]).toContain(`sqs:SendMessage on ${queue}`);
    }
  });

  it('is invoked by its own queues, and they by nobody else', () => {
    const receivers = Object.entries(rights).filter(([, own]) =>
      own.some((right) => LANE_QUEUES.some((queue) => right === `sqs:ReceiveMessage on ${queue}`)),
    );

    expect(receivers.map(([path]) => path)).toEqual(['Longhaul/Workers/heavy/Function']);
    expect(rights['Longhaul/Workers/heavy/Function']).not.toContain(
      'sqs:ReceiveMessage on Queue/Jobs',
    );
  });

  it('is watched by the alarms of the worker and shown on the dashboard', () => {
    for (const name of ['OldestMessageTooOld', 'WorkerErrors', 'WorkerThrottled']) {
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmName: `Longhaul/Longhaul/${name}`,
        Metrics: Match.arrayWith([
          Match.objectLike({ Expression: Match.stringLikeRegexp('(MAX|SUM)\\(METRICS\\(\\)\\)') }),
        ]),
      });
    }
    const dashboards = Object.values(template.findResources('AWS::CloudWatch::Dashboard'));
    expect(JSON.stringify(dashboards)).toContain('heavy: age of the oldest message');
  });

  it('counts in the cost of jobs: its invocations, its messages, its time at its memory', () => {
    const bodies = Object.values(resourcesByPath(template, 'AWS::CloudWatch::Dashboard'));
    const body = JSON.stringify(bodies.map(({ Properties }) => Properties['DashboardBody']));
    const [, orchestration = '', compute = ''] =
      /Orchestration, \$ per 1,000(.*)Compute, \$ per 1,000(.*)requests and write units/.exec(
        body,
      ) ?? [];

    for (const part of ['Workersheavy', 'QueueheavyJobs', 'QueueheavyIsolation']) {
      expect({ part, isCounted: orchestration.includes(part) }).toEqual({ part, isCounted: true });
    }
    expect(compute).toContain('Workersheavy');
    expect(compute).toMatch(
      /FILL\(worker0, 0\) \/ 1000 \* 0\.5 \+ FILL\(worker1, 0\) \/ 1000 \* 2\)/,
    );
  });

  it('is not there without a name in the configuration', () => {
    const without = synthesize().template;

    without.resourceCountIs('AWS::SQS::Queue', 5);
    expect(JSON.stringify(without.toJSON())).not.toContain('WORKER_LANES');
  });
});
