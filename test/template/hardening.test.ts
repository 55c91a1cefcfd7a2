import { describe, expect, it } from '@jest/globals';
import { Match, type Template } from 'aws-cdk-lib/assertions';
import { ALL_OPTIONS } from './all-options.ts';
import { privileges } from './privileges.ts';
import { resourcesByPath, synthesize } from './synthesize.ts';

const { template: plain } = synthesize();
const { template: hardened } = synthesize(ALL_OPTIONS);
const KEY = { 'Fn::GetAtt': [expect.stringMatching(/^LonghaulEncryptionKey/), 'Arn'] };

describe('a key of the customer', () => {
  it('is made with rotation, and kept in production', () => {
    hardened.hasResource('AWS::KMS::Key', {
      DeletionPolicy: 'Retain',
      Properties: { EnableKeyRotation: true, PendingWindowInDays: 30 },
    });
    plain.resourceCountIs('AWS::KMS::Key', 0);
  });

  it.each([
    { type: 'AWS::SQS::Queue', property: 'KmsMasterKeyId' },
    { type: 'AWS::SNS::Topic', property: 'KmsMasterKeyId' },
    { type: 'AWS::Logs::LogGroup', property: 'KmsKeyId' },
    { type: 'AWS::Events::EventBus', property: 'KmsKeyIdentifier' },
  ])('encrypts every $type', ({ type, property }) => {
    const resources = Object.values(resourcesByPath(hardened, type));

    expect(resources.length).toBeGreaterThan(0);
    for (const { Properties } of resources) expect(Properties[property]).toEqual(KEY);
  });

  it('encrypts both tables, and the bucket with few requests', () => {
    hardened.resourcePropertiesCountIs(
      'AWS::DynamoDB::GlobalTable',
      {
        SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
        Replicas: [Match.objectLike({ SSESpecification: { KMSMasterKeyId: Match.anyValue() } })],
      },
      2,
    );
    hardened.hasResourceProperties('AWS::S3::Bucket', {
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: true,
            ServerSideEncryptionByDefault: {
              KMSMasterKeyID: Match.anyValue(),
              SSEAlgorithm: 'aws:kms',
            },
          },
        ],
      },
    });
  });

  it('lets log groups and alarms use it, which have no role', () => {
    hardened.hasResourceProperties('AWS::KMS::Key', {
      KeyPolicy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Principal: { Service: Match.objectLike({ 'Fn::Join': Match.anyValue() }) },
            Condition: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': Match.anyValue() } },
          }),
          Match.objectLike({
            Principal: { Service: 'cloudwatch.amazonaws.com' },
            Action: ['kms:Decrypt', 'kms:GenerateDataKey*'],
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          }),
        ]),
      },
    });
  });

  it.each([
    { role: 'Submit', actions: ['Decrypt', 'GenerateDataKey'] },
    { role: 'Api', actions: ['Decrypt', 'GenerateDataKey'] },
    { role: 'Events', actions: ['Decrypt'] },
    { role: 'Schedules/Function', actions: ['Decrypt', 'GenerateDataKey'] },
    { role: 'Schedules/Trigger', actions: ['Decrypt', 'GenerateDataKey'] },
    { role: 'Workers/heavy/Function', actions: ['Decrypt', 'GenerateDataKey'] },
    { role: 'Authorizer', actions: ['Decrypt'] },
    { role: 'Worker/Function', actions: ['Decrypt', 'GenerateDataKey'] },
    { role: 'Notifier/Function', actions: ['Decrypt', 'GenerateDataKey'] },
    { role: 'Sweeper/Function', actions: ['Decrypt', 'GenerateDataKey'] },
  ])('lets $role do with it what its work takes: $actions', ({ role, actions }) => {
    const rights = privileges(hardened)[`Longhaul/${role}`] ?? [];
    const before = privileges(plain)[`Longhaul/${role}`] ?? [];

    expect([...new Set(rights.filter((right) => right.startsWith('kms:')))]).toEqual(
      actions.map((action) => `kms:${action} on Encryption/Key`),
    );
    expect(before.filter((right) => right.startsWith('kms:'))).toEqual([]);
  });

  it('is used by functions through the service that holds what it encrypts, and not by itself', () => {
    const services = keyStatements(hardened).map(({ Condition }) => Condition);

    expect(services.length).toBeGreaterThan(0);
    for (const condition of services) {
      expect(condition).toEqual({ StringEquals: { 'kms:ViaService': expect.anything() } });
    }
  });

  it('may be one that is there', () => {
    const kmsKeyArn = 'arn:aws:kms:eu-west-1:123456789012:key/0f3e2a3c-1c1a-4e43-8d6c-0d3b4b1a2c3d';
    const { template } = synthesize({ encryption: { kmsKeyArn } });

    template.resourceCountIs('AWS::KMS::Key', 0);
    template.allResourcesProperties('AWS::SQS::Queue', { KmsMasterKeyId: kmsKeyArn });
  });
});

describe('web ACL', () => {
  it('stands before the stage when it is wanted, with rules of AWS and a limit for each address', () => {
    hardened.hasResourceProperties('AWS::WAFv2::WebACL', {
      Scope: 'REGIONAL',
      DefaultAction: { Allow: {} },
      Rules: Match.arrayWith([
        Match.objectLike({
          Action: { Block: {} },
          Statement: {
            RateBasedStatement: { AggregateKeyType: 'IP', Limit: 20_000, EvaluationWindowSec: 300 },
          },
        }),
      ]),
    });
    hardened.resourceCountIs('AWS::WAFv2::WebACLAssociation', 1);
    plain.resourceCountIs('AWS::WAFv2::WebACL', 0);
    plain.resourceCountIs('AWS::WAFv2::WebACLAssociation', 0);
  });

  it('only counts what looks for attacks in bodies, which agents work on, and keeps no samples', () => {
    const [acl] = Object.values(resourcesByPath(hardened, 'AWS::WAFv2::WebACL'));
    const text = JSON.stringify(acl?.Properties['Rules']);

    for (const rule of ['SizeRestrictions_BODY', 'Log4JRCE_BODY']) {
      expect(text).toContain(`{"ActionToUse":{"Count":{}},"Name":"${rule}"}`);
    }
    expect(text).not.toContain('"SampledRequestsEnabled":true');
  });

  it('may be one that is there', () => {
    const wafWebAclArn =
      'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/ours/0f3e2a3c-1c1a-4e43-8d6c-0d3b4b1a2c3d';
    const { template } = synthesize({ api: { wafWebAclArn } });

    template.resourceCountIs('AWS::WAFv2::WebACL', 0);
    template.hasResourceProperties('AWS::WAFv2::WebACLAssociation', { WebACLArn: wafWebAclArn });
  });
});

describe('private API', () => {
  it('is reached through its VPC endpoints and in no other way', () => {
    const ids = ['vpce-0123456789abcdef0', 'vpce-0123456789abcdef1'];

    hardened.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['PRIVATE'], VpcEndpointIds: ids },
      Policy: {
        Statement: Match.arrayWith([
          Match.objectLike({
            Effect: 'Deny',
            Action: 'execute-api:Invoke',
            Principal: { AWS: '*' },
            Condition: { StringNotEquals: { 'aws:SourceVpce': ids } },
          }),
        ]),
      },
    });
  });

  it('is not what anybody gets who has not asked', () => {
    plain.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
      Policy: Match.absent(),
    });
  });
});

describe('tags', () => {
  it.each(['AWS::Lambda::Function', 'AWS::SQS::Queue', 'AWS::S3::Bucket', 'AWS::IAM::Role'])(
    'are on every %s',
    (type) => {
      const resources = Object.values(resourcesByPath(hardened, type));
      expect(resources.length).toBeGreaterThan(0);
      for (const { Properties } of resources) {
        expect(Properties['Tags']).toEqual(
          expect.arrayContaining([
            { Key: 'team', Value: 'agents' },
            { Key: 'cost-centre', Value: '4711' },
          ]),
        );
      }
    },
  );
});

interface KeyStatement {
  readonly Action: string | string[];
  readonly Condition?: unknown;
}

function keyStatements(template: Template): KeyStatement[] {
  return Object.values(resourcesByPath(template, 'AWS::IAM::Policy'))
    .flatMap(
      ({ Properties }) => (Properties['PolicyDocument'] as { Statement: KeyStatement[] }).Statement,
    )
    .filter(({ Action }) => [Action].flat().some((action) => action.startsWith('kms:')));
}
