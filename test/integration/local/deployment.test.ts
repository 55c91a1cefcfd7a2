import { describe, expect, it } from '@jest/globals';
import { deploy } from '../../../local/template/deployment.ts';
import type { Template } from '../../../local/template/read-assembly.ts';
import { anApi, aFunction } from './support/fixture-app.ts';

const addresses = { queues: 'http://127.0.0.1:11', gateway: 'http://127.0.0.1:22' };

const deployed = (template: Partial<Template>) =>
  deploy(
    {
      stackName: 'Stack',
      template: { Resources: {}, ...template },
      assets: new Map(),
    },
    addresses,
  );

const output = (Resources: Template['Resources'], Value: unknown) =>
  deployed({ Resources, Outputs: { Out: { Value } } }).outputs['Out'];

describe('deployment of a template', () => {
  it.each([
    {
      type: 'AWS::SQS::Queue',
      ref: 'http://127.0.0.1:11/000000000000/Stack-Thing',
      attribute: 'Arn',
      value: 'arn:aws:sqs:us-east-1:000000000000:Stack-Thing',
    },
    {
      type: 'AWS::DynamoDB::GlobalTable',
      ref: 'Stack-Thing',
      attribute: 'Arn',
      value: 'arn:aws:dynamodb:us-east-1:000000000000:table/Stack-Thing',
    },
    {
      type: 'AWS::S3::Bucket',
      ref: 'stack-thing',
      attribute: 'Arn',
      value: 'arn:aws:s3:::stack-thing',
    },
    {
      type: 'AWS::Lambda::Function',
      ref: 'Stack-Thing',
      attribute: 'Arn',
      value: 'arn:aws:lambda:us-east-1:000000000000:function:Stack-Thing',
    },
    {
      type: 'AWS::IAM::Role',
      ref: 'Stack-Thing',
      attribute: 'Arn',
      value: 'arn:aws:iam::000000000000:role/Stack-Thing',
    },
    {
      type: 'AWS::Logs::LogGroup',
      ref: 'Stack-Thing',
      attribute: 'Arn',
      value: 'arn:aws:logs:us-east-1:000000000000:log-group:Stack-Thing:*',
    },
  ])('gives the Ref and $attribute of $type as AWS does', ({ type, ref, attribute, value }) => {
    const resources = { Thing: { Type: type } };

    expect(output(resources, { Ref: 'Thing' })).toBe(ref);
    expect(output(resources, { 'Fn::GetAtt': ['Thing', attribute] })).toBe(value);
  });

  it('takes an explicit physical name', () => {
    const Jobs = {
      Type: 'AWS::SQS::Queue',
      Properties: { QueueName: { 'Fn::Sub': 'q-${AWS::StackName}' } },
    };

    expect(output({ Jobs }, { 'Fn::GetAtt': ['Jobs', 'QueueName'] })).toBe('q-Stack');
  });

  it('keeps the end of a name that is too long', () => {
    const logicalId = `${'Long'.repeat(20)}Hash1234`;
    const name = output({ [logicalId]: { Type: 'AWS::Lambda::Function' } }, { Ref: logicalId });

    expect(name).toHaveLength(64);
    expect(name).toMatch(/Hash1234$/);
  });

  it('leaves out what its condition excludes', () => {
    const deployment = deployed({
      Conditions: { Never: { 'Fn::Equals': [{ Ref: 'AWS::Region' }, 'eu-west-1'] } },
      Resources: {
        Here: { Type: 'AWS::SQS::Queue' },
        Gone: { Type: 'AWS::SQS::Queue', Condition: 'Never' },
      },
      Outputs: { Gone: { Value: 'x', Condition: 'Never' } },
    });

    expect(deployment.ofType('AWS::SQS::Queue').map(({ logicalId }) => logicalId)).toEqual([
      'Here',
    ]);
    expect(deployment.outputs).toEqual({});
  });

  it('accepts inert resources without looking at their properties', () => {
    const deployment = deployed({
      Resources: {
        Dashboard: {
          Type: 'AWS::CloudWatch::Dashboard',
          Properties: { Anything: { 'Fn::Cidr': [] } },
        },
      },
    });

    expect(deployment.ofType('AWS::CloudWatch::Dashboard')).toEqual([]);
  });

  it('gives the address of the API as one that works here', () => {
    const url = {
      'Fn::Join': [
        '',
        [
          'https://',
          { Ref: 'Api' },
          '.execute-api.',
          { Ref: 'AWS::Region' },
          '.',
          { Ref: 'AWS::URLSuffix' },
          '/',
          { Ref: 'Stage' },
        ],
      ],
    };
    const resources = {
      ...anApi([]),
      F: aFunction('echo', { Environment: { Variables: { URL: url } } }),
    };

    expect(output(resources, url)).toBe('http://127.0.0.1:22/v1');
    const [f] = deployed({ Resources: resources }).ofType('AWS::Lambda::Function');
    expect(f?.properties.nested('Environment').textMap('Variables')).toEqual({
      URL: 'http://127.0.0.1:22/v1',
    });
  });

  it('resolves parameters by their defaults and maps by their keys', () => {
    const deployment = deployed({
      Parameters: { BootstrapVersion: { Default: '/cdk-bootstrap/version' } },
      Mappings: { Sizes: { 'us-east-1': { memory: 256 } } },
      Outputs: {
        Version: { Value: { Ref: 'BootstrapVersion' } },
        Memory: { Value: { 'Fn::FindInMap': ['Sizes', { Ref: 'AWS::Region' }, 'memory'] } },
      },
    });

    expect(deployment.outputs).toEqual({ Version: '/cdk-bootstrap/version', Memory: '256' });
  });
});
