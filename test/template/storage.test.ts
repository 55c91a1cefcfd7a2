import { describe, expect, it } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Match, Template } from 'aws-cdk-lib/assertions';
import type { Construct } from 'constructs';
import {
  flattened,
  type LonghaulConfig,
  type LonghaulConfigInput,
  resolveConfig,
} from '../../lib/config.ts';
import { JobQueue } from '../../lib/constructs/job-queue.ts';
import { PayloadBucket } from '../../lib/constructs/payload-bucket.ts';
import { uploadKey } from '../../src/core/job/payload-keys.ts';
import { INDEXES, TABLE_KEYS } from '../../src/settings/names.ts';
import { resourcesByPath, synthesize, withApp } from './synthesize.ts';

const { template } = synthesize();

/** One construct in a stack of its own: much quicker than the whole. */
function alone(
  Part: new (
    scope: Construct,
    id: string,
    props: { config: LonghaulConfig; key: undefined },
  ) => Construct,
  config: LonghaulConfigInput,
): Template {
  return withApp((app) => {
    const stack = new Stack(app, 'Stack');
    new Part(stack, 'Part', { config: resolveConfig(flattened(config)), key: undefined });
    return Template.fromStack(stack);
  });
}

describe('job table', () => {
  it('has the keys, the time to live and the two keys-only indexes that the adapters use', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      BillingMode: 'PAY_PER_REQUEST',
      KeySchema: [
        { AttributeName: TABLE_KEYS.partition, KeyType: 'HASH' },
        { AttributeName: TABLE_KEYS.sort, KeyType: 'RANGE' },
      ],
      TimeToLiveSpecification: { AttributeName: TABLE_KEYS.ttl, Enabled: true },
      GlobalSecondaryIndexes: [INDEXES.byTenant, INDEXES.due].map((index) => ({
        IndexName: index.name,
        KeySchema: [
          { AttributeName: index.partition, KeyType: 'HASH' },
          { AttributeName: index.sort, KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'KEYS_ONLY' },
      })),
    });
  });

  it('sorts its indexes by number, the form instants have', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      AttributeDefinitions: Match.arrayWith([
        { AttributeName: INDEXES.byTenant.sort, AttributeType: 'N' },
        { AttributeName: INDEXES.due.sort, AttributeType: 'N' },
      ]),
    });
  });

  it('is kept, protected and recoverable in production', () => {
    template.hasResource('AWS::DynamoDB::GlobalTable', {
      DeletionPolicy: 'Retain',
      Properties: {
        Replicas: [
          Match.objectLike({
            DeletionProtectionEnabled: true,
            PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
          }),
        ],
      },
    });
  });
});

describe('idempotency table', () => {
  it('is kept and protected in production, and not backed up, since the job answers for it', () => {
    const path = 'Longhaul/IdempotencyTable/Table';
    const table = resourcesByPath(template, 'AWS::DynamoDB::GlobalTable')[path];

    expect(table).toMatchObject({ DeletionPolicy: 'Retain' });
    expect(table?.Properties['Replicas']).toEqual([
      expect.objectContaining({ DeletionProtectionEnabled: true }),
    ]);
  });

  it('has the attribute names of the Powertools store', () => {
    template.hasResourceProperties('AWS::DynamoDB::GlobalTable', {
      KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      TimeToLiveSpecification: { AttributeName: 'expiration', Enabled: true },
    });
  });
});

describe('payload bucket', () => {
  it('is private, encrypted and refuses plain HTTP', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      PublicAccessBlockConfiguration: {
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      },
      BucketEncryption: Match.anyValue(),
    });
    template.hasResourceProperties('AWS::S3::BucketPolicy', {
      PolicyDocument: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Condition: { Bool: { 'aws:SecureTransport': 'false' } },
          }),
        ]),
      },
    });
  });

  it.each([
    { retentionDays: 1, expirationDays: 401 },
    { retentionDays: 90, expirationDays: 490 },
    { retentionDays: 3_650, expirationDays: 4_050 },
  ])(
    'keeps an object $expirationDays days when jobs are kept $retentionDays days after up to 400 of run time',
    ({ retentionDays, expirationDays }) => {
      alone(PayloadBucket, { retentionDays }).hasResourceProperties('AWS::S3::Bucket', {
        LifecycleConfiguration: {
          Rules: Match.arrayWith([
            {
              Id: 'ExpirePayloads',
              ExpirationInDays: expirationDays,
              AbortIncompleteMultipartUpload: Match.anyValue(),
              Status: 'Enabled',
            },
          ]),
        },
      });
    },
  );

  it('gives up uploads, and nothing else, as soon as they may not be submitted any more', () => {
    template.hasResourceProperties('AWS::S3::Bucket', {
      LifecycleConfiguration: {
        Rules: [
          Match.objectLike({ Id: 'ExpirePayloads', Prefix: Match.absent() }),
          { Id: 'ExpireUploads', Prefix: 'uploads/', ExpirationInDays: 2, Status: 'Enabled' },
        ],
      },
    });
    expect(uploadKey({ tenantId: 'acme', uploadId: 'upl_1' })).toMatch(/^uploads\//);
  });

  it('needs no custom resource in production', () => {
    template.resourceCountIs('AWS::CloudFormation::CustomResource', 0);
    template.resourceCountIs('Custom::S3AutoDeleteObjects', 0);
  });
});

describe('development', () => {
  it('deletes tables, bucket and logs with the stack', () => {
    const { template: development } = synthesize({ environment: 'development' });

    for (const type of ['AWS::DynamoDB::GlobalTable', 'AWS::S3::Bucket', 'AWS::Logs::LogGroup']) {
      development.allResources(type, { DeletionPolicy: 'Delete' });
    }
    development.allResourcesProperties('AWS::DynamoDB::GlobalTable', {
      Replicas: [Match.not(Match.objectLike({ DeletionProtectionEnabled: true }))],
    });
  });
});

describe('queues', () => {
  const queues = resourcesByPath(template, 'AWS::SQS::Queue');

  it('are encrypted and refuse plain HTTP', () => {
    template.allResourcesProperties('AWS::SQS::Queue', { SqsManagedSseEnabled: true });
    template.resourceCountIs('AWS::SQS::QueuePolicy', Object.keys(queues).length);
  });

  it('keep dead letters longer than messages, which keep their age when they are moved', () => {
    const retention = (path: string) => queues[path]?.Properties['MessageRetentionPeriod'];

    expect(retention('Longhaul/Queue/Jobs')).toBe(4 * 86_400);
    expect(retention('Longhaul/Queue/Isolation')).toBe(4 * 86_400);
    expect(retention('Longhaul/Queue/DeadLetters')).toBe(14 * 86_400);
  });

  it.each(['Longhaul/Queue/Jobs', 'Longhaul/Queue/Isolation'])(
    'moves what %s delivered five times in vain to the DLQ',
    (path) => {
      expect(queues[path]?.Properties['RedrivePolicy']).toEqual({
        deadLetterTargetArn: {
          'Fn::GetAtt': [expect.stringContaining('QueueDeadLetters'), 'Arn'],
        },
        maxReceiveCount: 5,
      });
    },
  );

  it.each([
    { name: 'the defaults', worker: {}, expected: 330 },
    { name: 'a long timeout', worker: { timeoutSeconds: 900 }, expected: 930 },
    {
      name: 'a batching window',
      worker: { batchSize: 100, batchingWindowSeconds: 300, timeoutSeconds: 900 },
      expected: 1_230,
    },
  ])(
    'hide a message longer than window and worker take together, with $name',
    ({ worker, expected }) => {
      alone(JobQueue, { worker }).hasResourceProperties('AWS::SQS::Queue', {
        VisibilityTimeout: expected,
      });
    },
  );
});
