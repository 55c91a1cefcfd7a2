import { describe, expect, it } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import {
  apiEnvironment,
  authorizerEnvironment,
  eventsEnvironment,
  notifierEnvironment,
  schedulesEnvironment,
  submitEnvironment,
  sweeperEnvironment,
  workerEnvironment,
} from '../../src/settings/environment.ts';
import { resourcesByPath, synthesize } from './synthesize.ts';

const { template } = synthesize();
const functions = resourcesByPath(template, 'AWS::Lambda::Function');

const FUNCTIONS = [
  { path: 'Longhaul/Submit', schema: submitEnvironment, timeout: 29 },
  { path: 'Longhaul/Api', schema: apiEnvironment, timeout: 29 },
  { path: 'Longhaul/Events', schema: eventsEnvironment, timeout: 330 },
  { path: 'Longhaul/Schedules/Function', schema: schedulesEnvironment, timeout: 29 },
  { path: 'Longhaul/Authorizer', schema: authorizerEnvironment, timeout: 5 },
  { path: 'Longhaul/Worker/Function', schema: workerEnvironment, timeout: 300 },
  { path: 'Longhaul/Sweeper/Function', schema: sweeperEnvironment, timeout: 70 },
  { path: 'Longhaul/Notifier/Function', schema: notifierEnvironment, timeout: 30 },
] as const;

describe('functions', () => {
  it('are these eight', () => {
    expect(Object.keys(functions).sort()).toEqual(FUNCTIONS.map(({ path }) => path).sort());
  });

  it('run on Node 24 and ARM, traced, and may be part of a loop', () => {
    template.allResourcesProperties('AWS::Lambda::Function', {
      Runtime: 'nodejs24.x',
      Architectures: ['arm64'],
      TracingConfig: { Mode: 'Active' },
      RecursiveLoop: 'Allow',
    });
  });

  it.each(FUNCTIONS)('$path ends after $timeout s', ({ path, timeout }) => {
    expect(functions[path]?.Properties['Timeout']).toBe(timeout);
  });

  it.each(FUNCTIONS)('$path has the variables its handler reads', ({ path, schema }) => {
    const { Variables } = functions[path]?.Properties['Environment'] as {
      Variables: Record<string, unknown>;
    };
    const own = Object.keys(Variables).filter((name) => !name.startsWith('POWERTOOLS_'));

    // Those of what the configuration turns on are tested with it.
    const needed = Object.entries<{ isOptional(): boolean }>(schema.shape)
      .filter(([, type]) => !type.isOptional())
      .map(([name]) => name);
    expect(own.sort()).toEqual(needed.sort());
  });

  it.each(FUNCTIONS)('$path logs to a group of its own, which forgets', ({ path }) => {
    const logGroups = resourcesByPath(template, 'AWS::Logs::LogGroup');

    expect(logGroups[`${path}Logs`]?.Properties['RetentionInDays']).toBe(30);
    expect(functions[path]?.Properties['LoggingConfig']).toEqual({
      LogGroup: { Ref: expect.stringContaining('Logs') },
    });
  });

  it('take log level, retention and tracing from the configuration', () => {
    const { template: quiet } = synthesize({
      logLevel: 'ERROR',
      logRetentionDays: 365,
      tracing: false,
    });

    quiet.allResourcesProperties('AWS::Lambda::Function', {
      TracingConfig: Match.absent(),
      Environment: {
        Variables: Match.objectLike({
          POWERTOOLS_LOG_LEVEL: 'ERROR',
          POWERTOOLS_TRACE_ENABLED: 'false',
        }),
      },
    });
    quiet.allResourcesProperties('AWS::Logs::LogGroup', { RetentionInDays: 365 });
  });
});

describe('worker', () => {
  it('takes batches from the jobs queue and single messages from the isolation queue, the notifier from its own', () => {
    const sources = Object.values(resourcesByPath(template, 'AWS::Lambda::EventSourceMapping')).map(
      ({ Properties }) => [
        (Properties['EventSourceArn'] as { 'Fn::GetAtt': string[] })['Fn::GetAtt'][0],
        Properties['BatchSize'],
      ],
    );

    expect(Object.fromEntries(sources)).toEqual({
      [findLogicalId('Jobs')]: 10,
      [findLogicalId('Isolation')]: 1,
      [findLogicalId('Pending')]: 10,
    });
  });

  it('takes the limits of sub-jobs from the configuration', () => {
    synthesize({ subJobs: { maxDepth: 2, maxPerJob: 30 } }).template.hasResourceProperties(
      'AWS::Lambda::Function',
      {
        Environment: {
          Variables: Match.objectLike({ SUB_JOBS_MAX_DEPTH: '2', SUB_JOBS_MAX_PER_JOB: '30' }),
        },
      },
    );
  });

  it('reports failures by message and keeps to its concurrency', () => {
    const { template: changed } = synthesize({ worker: { maxConcurrency: 7 } });
    const sources = Object.values(resourcesByPath(changed, 'AWS::Lambda::EventSourceMapping'));
    expect(sources.map(({ Properties }) => Properties)).toEqual(
      [7, 7, 50].map((MaximumConcurrency) =>
        expect.objectContaining({
          FunctionResponseTypes: ['ReportBatchItemFailures'],
          ScalingConfig: { MaximumConcurrency },
        }),
      ),
    );
  });

  it('waits for a batch above 10 as long as the window says', () => {
    synthesize({
      worker: { batchSize: 100, batchingWindowSeconds: 1 },
    }).template.hasResourceProperties('AWS::Lambda::EventSourceMapping', {
      BatchSize: 100,
      MaximumBatchingWindowInSeconds: 1,
    });
  });
});

describe('event streams', () => {
  it('reserve the concurrency of the configuration, for themselves only', () => {
    const limited = synthesize({ events: { reservedConcurrency: 40 } }).template;

    expect(reserved(limited)).toEqual({ 'Longhaul/Events': 40 });
  });

  it('reserve none unless they are told to: a new account has too little to reserve any', () => {
    expect(reserved(template)).toEqual({});
  });

  function reserved(of: typeof template): Record<string, unknown> {
    const all = Object.entries(resourcesByPath(of, 'AWS::Lambda::Function'));
    return Object.fromEntries(
      all.flatMap(([path, { Properties }]) => {
        const concurrency = Properties['ReservedConcurrentExecutions'];
        return concurrency === undefined ? [] : [[path, concurrency]];
      }),
    );
  }
});

describe('sweeper', () => {
  it('starts every minute, once', () => {
    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: 'rate(1 minute)',
      FlexibleTimeWindow: { Mode: 'OFF' },
      State: 'ENABLED',
      Target: Match.objectLike({
        RetryPolicy: { MaximumRetryAttempts: 0, MaximumEventAgeInSeconds: 60 },
      }),
    });
  });

  it('reserves no concurrency', () => {
    template.allResourcesProperties('AWS::Lambda::Function', {
      ReservedConcurrentExecutions: Match.absent(),
    });
  });
});

function findLogicalId(queue: string): string {
  const [logicalId] = Object.keys(
    template.findResources('AWS::SQS::Queue', {
      Metadata: {
        'aws:cdk:path': Match.stringLikeRegexp(`(?:Queue|Notifications)/${queue}/Resource$`),
      },
    }),
  );
  return logicalId ?? `no queue ${queue}`;
}
