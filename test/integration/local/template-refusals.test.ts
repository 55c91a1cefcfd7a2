import { afterEach, describe, expect, it } from '@jest/globals';
import { rm } from 'node:fs/promises';
import { eventSourceMappings } from '../../../local/event-sources/mapping.ts';
import { restApi } from '../../../local/gateway/api-model.ts';
import { GatewayResponses } from '../../../local/gateway/gateway-responses.ts';
import { schedules } from '../../../local/schedules/schedule.ts';
import { deploy, type Deployment } from '../../../local/template/deployment.ts';
import { readAssembly } from '../../../local/template/read-assembly.ts';
import { aFunction, anApi, writeAssembly, type FixtureResource } from './support/fixture-app.ts';

const addresses = { queues: 'http://127.0.0.1:1', gateway: 'http://127.0.0.1:2' };
const written: string[] = [];

afterEach(async () => {
  await Promise.all(written.splice(0).map((path) => rm(path, { recursive: true, force: true })));
});

async function deployed(template: object): Promise<Deployment> {
  const directory = await writeAssembly({ Resources: {}, ...template });
  written.push(directory);
  return deploy(await readAssembly(directory), addresses);
}

const resource = (Type: string, Properties: object = {}) =>
  ({ Thing: { Type, Properties } }) as Record<string, FixtureResource>;

const schedule = (Target: object, ScheduleExpression = 'rate(1 minute)') =>
  resource('AWS::Scheduler::Schedule', {
    ScheduleExpression,
    FlexibleTimeWindow: { Mode: 'OFF' },
    Target,
  });

const queueMapping = (properties: object) => ({
  Queue: { Type: 'AWS::SQS::Queue' },
  Worker: aFunction('worker'),
  ...resource('AWS::Lambda::EventSourceMapping', {
    EventSourceArn: { 'Fn::GetAtt': ['Queue', 'Arn'] },
    FunctionName: { Ref: 'Worker' },
    ...properties,
  }),
});

describe('what the local cloud refuses to play', () => {
  it.each([
    {
      name: 'a resource type',
      template: { Resources: resource('AWS::EC2::VPC') },
      error: /^Thing: unknown resource type AWS::EC2::VPC/,
    },
    {
      name: 'a custom resource',
      template: { Resources: resource('Custom::Webhook') },
      error: /^Thing: unknown resource type Custom::Webhook/,
    },
    {
      name: 'a property of a played type',
      template: { Resources: resource('AWS::SQS::Queue', { FifoQueue: true }) },
      error: /^Thing \(AWS::SQS::Queue\): unknown property FifoQueue/,
    },
    {
      name: 'a property within a property',
      template: {
        Resources: queueMapping({ ScalingConfig: { MaximumConcurrency: 2, Burst: 1 } }),
      },
      error: /^Thing .*: unknown property ScalingConfig\.Burst/,
    },
    {
      name: 'a property of a list element',
      template: {
        Resources: resource('AWS::DynamoDB::Table', {
          GlobalSecondaryIndexes: [{ IndexName: 'a', Projector: {} }],
        }),
      },
      error: /unknown property GlobalSecondaryIndexes\.Projector/,
    },
    {
      name: 'a value it would play wrongly',
      template: { Resources: { F: aFunction('echo', { Runtime: 'python3.13' }) } },
      error: /^F .*unknown value "python3\.13" of Runtime; known: nodejs24\.x/,
    },
    {
      name: 'a second region of a table',
      template: {
        Resources: resource('AWS::DynamoDB::GlobalTable', { Replicas: [{ Region: 'eu-west-1' }] }),
      },
      error: /unknown value "eu-west-1" of Replicas\.Region/,
    },
    {
      name: 'an attribute of a resource',
      template: {
        Resources: { Queue: { Type: 'AWS::SQS::Queue' } },
        Outputs: { Out: { Value: { 'Fn::GetAtt': ['Queue', 'Size'] } } },
      },
      error: /^output Out: unknown attribute Size of Queue/,
    },
    {
      name: 'an intrinsic function',
      template: { Resources: resource('AWS::SQS::Queue', { QueueName: { 'Fn::Base64': 'x' } }) },
      error: /^Thing: unknown intrinsic function Fn::Base64/,
    },
    {
      name: 'a pseudo parameter',
      template: { Resources: resource('AWS::SQS::Queue', { QueueName: { Ref: 'AWS::Moon' } }) },
      error: /^Thing: unknown parameter AWS::Moon/,
    },
    {
      name: 'a parameter without a default',
      template: {
        Parameters: { Size: { Type: 'String' } },
        Resources: resource('AWS::SQS::Queue', { QueueName: { Ref: 'Size' } }),
      },
      error: /^Thing: parameter Size has no default/,
    },
    {
      name: 'a reference to what is not there',
      template: { Resources: resource('AWS::SQS::Queue', { QueueName: { Ref: 'Nobody' } }) },
      error: /^Nobody: referred to, but not in the template/,
    },
    {
      name: 'a section of the template',
      template: { Transform: 'AWS::Serverless-2016-10-31' },
      error: /^Transform: unknown section/,
    },
    {
      name: 'an attribute of a resource definition',
      template: { Resources: { Thing: { Type: 'AWS::SQS::Queue', CreationPolicy: {} } } },
      error: /^Thing: unknown attribute CreationPolicy/,
    },
  ])('names $name it does not know', async ({ template, error }) => {
    await expect(deployed(template)).rejects.toThrow(error);
  });

  it.each([
    { name: 'no cron', expression: 'cron(0 25 * * ? *)' },
    { name: 'a single time', expression: 'at(2026-11-29T12:00:00)' },
    { name: 'a rate of nothing', expression: 'rate(0 minutes)' },
  ])('names the schedule whose expression is $name', async ({ expression }) => {
    const deployment = await deployed({ Resources: schedule({}, expression) });

    expect(() => schedules(deployment)).toThrow(/^Thing: unknown schedule/);
  });

  it('names the schedule whose target is not a function', async () => {
    const Resources = schedule({ Arn: 'arn:aws:sqs:us-east-1:000000000000:q', RoleArn: 'r' });
    const deployment = await deployed({ Resources });

    expect(() => schedules(deployment)).toThrow(/^Thing\.Target: unknown target arn:aws:sqs/);
  });

  it('names the mapping whose batch needs a window', async () => {
    const deployment = await deployed({ Resources: queueMapping({ BatchSize: 100 }) });

    expect(() => eventSourceMappings(deployment)).toThrow(/^Thing: BatchSize 100 needs/);
  });

  it('names the mapping whose source is no queue of the stack', async () => {
    const EventSourceArn = 'arn:aws:dynamodb:us-east-1:000000000000:table/t/stream/1';
    const deployment = await deployed({ Resources: queueMapping({ EventSourceArn }) });

    expect(() => eventSourceMappings(deployment)).toThrow(/^Thing: unknown event source/);
  });

  it.each([
    { name: 'variable', properties: { ResponseTemplates: { 'application/json': '$context.a.b' } } },
    { name: 'variable', properties: { ResponseTemplates: { 'text/plain': '$util.escape(1)' } } },
    {
      name: 'response parameter',
      properties: { ResponseParameters: { 'gatewayresponse.header.A': 'method.request.path.x' } },
    },
  ])('names the gateway response with an unknown $name', async ({ name, properties }) => {
    const deployment = await deployed({
      Resources: resource('AWS::ApiGateway::GatewayResponse', {
        ResponseType: 'DEFAULT_4XX',
        ...properties,
      }),
    });

    expect(() => new GatewayResponses(deployment)).toThrow(new RegExp(`^Thing: unknown ${name}`));
  });

  it.each(['$context.requestid', '$context.authorizer', '$input.body', '$requestId'])(
    'names the stage whose access log has the unknown variable %s',
    async (variable) => {
      const Format = `{"requestId":"$context.requestId","unknown":"${variable}"}`;
      const deployment = await deployed({ Resources: anApi([], { AccessLogSetting: { Format } }) });

      expect(() => restApi(deployment)).toThrow(
        `Stage: unknown variable ${variable} in the format of the access log`,
      );
    },
  );
});
