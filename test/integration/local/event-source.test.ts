import {
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  SQSClient,
  type SendMessageBatchRequestEntry,
} from '@aws-sdk/client-sqs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { aFunction, type FixtureResource } from './support/fixture-app.ts';
import { startFixture, type FixtureCloud } from './support/fixture-cloud.ts';
import { Reports } from './support/reports.ts';
import { waitFor } from './support/wait-for.ts';

interface Case {
  readonly queue?: Readonly<Record<string, unknown>>;
  readonly mapping?: Readonly<Record<string, unknown>>;
  readonly function?: Readonly<Record<string, unknown>>;
}

const REPORTS_FAILURES = { FunctionResponseTypes: ['ReportBatchItemFailures'] };

/** A queue, a function and the mapping between them for each test, in one stack. */
const CASES = {
  Plain: { mapping: REPORTS_FAILURES },
  Window: { mapping: { BatchSize: 100, MaximumBatchingWindowInSeconds: 1 } },
  Concurrency: { mapping: { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } } },
  Partial: { queue: { VisibilityTimeout: 1 }, mapping: REPORTS_FAILURES },
  Whole: { queue: { VisibilityTimeout: 1 } },
  Unknown: { queue: { VisibilityTimeout: 1 }, mapping: REPORTS_FAILURES },
  Crash: { queue: { VisibilityTimeout: 1 } },
  Timeout: { queue: { VisibilityTimeout: 2 }, function: { Timeout: 1 } },
  Poison: {
    queue: {
      VisibilityTimeout: 1,
      RedrivePolicy: {
        deadLetterTargetArn: { 'Fn::GetAtt': ['DeadLetters', 'Arn'] },
        maxReceiveCount: 2,
      },
    },
  },
  Fair: { mapping: { BatchSize: 1, ScalingConfig: { MaximumConcurrency: 2 } } },
  Many: { mapping: REPORTS_FAILURES },
  Disabled: { mapping: { Enabled: false } },
} as const satisfies Record<string, Case>;

type Name = keyof typeof CASES;

let cloud: FixtureCloud;
let sqs: SQSClient;
const reportsOf = {} as Record<Name, Reports>;

beforeAll(async () => {
  const Resources: Record<string, FixtureResource> = { DeadLetters: { Type: 'AWS::SQS::Queue' } };
  for (const [name, one] of Object.entries<Case>(CASES)) {
    const reports = await Reports.listen();
    reportsOf[name as Name] = reports;
    Resources[`${name}Queue`] = { Type: 'AWS::SQS::Queue', Properties: one.queue ?? {} };
    Resources[`${name}Function`] = aFunction('worker', {
      Environment: { Variables: { REPORT_URL: reports.url } },
      ...one.function,
    });
    Resources[`${name}Mapping`] = {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': [`${name}Queue`, 'Arn'] },
        FunctionName: { Ref: `${name}Function` },
        ...one.mapping,
      },
    };
  }
  cloud = await startFixture({ Resources });
  sqs = new SQSClient({
    region: 'us-east-1',
    endpoint: cloud.endpoints.sqs,
    credentials: { accessKeyId: 'x', secretAccessKey: 'y' },
  });
});

afterAll(async () => {
  sqs.destroy();
  await cloud.stop();
  await Promise.all(Object.values(reportsOf).map((reports) => reports.close()));
});

const url = (name: string) => cloud.queueUrls[name] ?? '';

/** Sends all messages before the first is handed out. */
async function send(name: Name, bodies: readonly string[], groupOf?: (body: string) => string) {
  const queue = `${name}Queue`;
  await cloud.control('POST', '/event-sources/pause', { queue });
  const entries = bodies.map((body, at): SendMessageBatchRequestEntry => ({
    Id: String(at),
    MessageBody: body,
    ...(groupOf && {
      MessageGroupId: groupOf(body),
      MessageAttributes: {
        MessageGroupId: { DataType: 'String', StringValue: groupOf(body) },
      },
    }),
  }));
  for (let at = 0; at < entries.length; at += 10) {
    const Entries = entries.slice(at, at + 10);
    await sqs.send(new SendMessageBatchCommand({ QueueUrl: url(queue), Entries }));
  }
  await cloud.control('POST', '/event-sources/resume', { queue });
}

async function sourceOf(name: Name): Promise<Record<string, unknown>> {
  const { eventSources } = await cloud.control('GET', '/event-sources');
  const found = (eventSources as Record<string, unknown>[]).find(
    ({ logicalId }) => logicalId === `${name}Mapping`,
  );
  return found ?? {};
}

const deleted = (name: Name, count: number) =>
  waitFor(`${count} deleted messages of ${name}`, async () => {
    const source = await sourceOf(name);
    return source['messagesDeleted'] === count && source;
  });

const numbered = (count: number, prefix = '') =>
  Array.from({ length: count }, (_, at) => `${prefix}${at}`);

describe('an event source mapping', () => {
  it('hands messages to the function as SQS records', async () => {
    await send('Plain', ['{"a":1}'], () => 'acme');

    const source = await deleted('Plain', 1);
    const [report] = reportsOf.Plain.received;
    expect(report?.event.Records).toEqual([
      {
        messageId: expect.any(String),
        receiptHandle: expect.any(String),
        body: '{"a":1}',
        attributes: {
          ApproximateReceiveCount: '1',
          ApproximateFirstReceiveTimestamp: expect.stringMatching(/^\d+$/),
          SentTimestamp: expect.stringMatching(/^\d+$/),
          SenderId: expect.any(String),
          MessageGroupId: 'acme',
        },
        messageAttributes: {
          MessageGroupId: {
            stringValue: 'acme',
            stringListValues: [],
            binaryListValues: [],
            dataType: 'String',
          },
        },
        md5OfMessageAttributes: expect.any(String),
        md5OfBody: 'bb6cb5c68df4652941caf652a366f2d8',
        eventSource: 'aws:sqs',
        eventSourceARN: 'arn:aws:sqs:us-east-1:000000000000:Fixture-PlainQueue',
        awsRegion: 'us-east-1',
      },
    ]);
    expect(source).toMatchObject({ messagesReceived: 1, deletes: 1, state: 'polling' });
  });

  it('keeps to the batch size without a window', async () => {
    await send('Many', numbered(1_000));

    await deleted('Many', 1_000);
    const { received, bodies } = reportsOf.Many;
    expect(new Set(bodies).size).toBe(1_000);
    expect(bodies).toHaveLength(1_000);
    expect(Math.max(...received.map(({ event }) => event.Records.length))).toBe(10);
  });

  it('fills a large batch within its window', async () => {
    await send('Window', numbered(35));

    await deleted('Window', 35);
    expect(reportsOf.Window.received.map(({ event }) => event.Records.length)).toEqual([35]);
  });

  it('keeps to the maximum concurrency', async () => {
    let running = 0;
    let most = 0;
    const gate = Promise.withResolvers<undefined>();
    reportsOf.Concurrency.decide = async () => {
      running += 1;
      most = Math.max(most, running);
      await gate.promise;
      running -= 1;
      return {};
    };

    await send('Concurrency', numbered(20));
    await waitFor('two invocations', () => running === 2);
    gate.resolve(undefined);

    await deleted('Concurrency', 20);
    expect(most).toBe(2);
  });

  it('deletes the others when some messages of a batch failed, and hands those out again', async () => {
    reportsOf.Partial.decide = ({ event }) =>
      event.Records.some(({ attributes }) => attributes.ApproximateReceiveCount === '1')
        ? { fail: ['2', '5'] }
        : {};

    await send('Partial', numbered(8));
    await deleted('Partial', 6);

    await deleted('Partial', 8);
    const again = reportsOf.Partial.received
      .flatMap(({ event }) => event.Records)
      .filter(({ attributes }) => attributes.ApproximateReceiveCount !== '1');
    expect(again.map(({ body }) => body).sort()).toEqual(['2', '5']);
    expect(again.map(({ attributes }) => attributes.ApproximateReceiveCount)).toEqual(['2', '2']);
  });

  it.each([
    { name: 'an error of the function', queue: 'Whole', order: { error: 'no' } },
    { name: 'a failure it cannot place', queue: 'Unknown', order: { answer: unknownItem() } },
    { name: 'a crash', queue: 'Crash', order: { crash: true } },
  ] as const)('hands the whole batch out again after $name', async ({ queue, order }) => {
    const reports = reportsOf[queue];
    reports.decide = () => (reports.received.length === 1 ? order : {});

    await send(queue, numbered(3));

    await deleted(queue, 3);
    expect(reports.bodies.slice(0, 3).sort()).toEqual(['0', '1', '2']);
    expect(reports.bodies.slice(3).sort()).toEqual(['0', '1', '2']);
  });

  it('hands a batch out again when the function timed out', async () => {
    const never = Promise.withResolvers<object>();
    const { received } = reportsOf.Timeout;
    reportsOf.Timeout.decide = () => (received.length === 1 ? never.promise : {});

    await send('Timeout', ['slow']);

    await deleted('Timeout', 1);
    expect(reportsOf.Timeout.bodies).toEqual(['slow', 'slow']);
    expect(received[0]?.environment).not.toBe(received[1]?.environment);
  });

  it('leaves a message to the redrive policy of its queue after too many receives', async () => {
    reportsOf.Poison.decide = () => ({ error: 'poison' });

    await send('Poison', ['poison']);

    const dead = await waitFor('the dead letter', async () => {
      const { Messages = [] } = await sqs.send(
        new ReceiveMessageCommand({ QueueUrl: url('DeadLetters') }),
      );
      return Messages[0];
    });
    expect(dead.Body).toBe('poison');
    expect(reportsOf.Poison.bodies).toEqual(['poison', 'poison']);
  });

  it('lets message groups take turns, whatever waits in front of them', async () => {
    const { received } = reportsOf.Fair;
    const bothRun = Promise.withResolvers<object>();
    // Neither environment runs ahead while the other one still starts.
    reportsOf.Fair.decide = () => {
      if (received.length >= 2) bothRun.resolve({});
      return bothRun.promise;
    };

    await send('Fair', [...numbered(30, 'noisy-'), ...numbered(5, 'quiet-')], (body) =>
      body.slice(0, 5),
    );

    await deleted('Fair', 35);
    const quiet = reportsOf.Fair.bodies.slice(0, 20).filter((body) => body.startsWith('quiet'));
    expect(quiet).toHaveLength(5);
  });

  it('takes nothing while it is disabled or paused', async () => {
    expect(await sourceOf('Disabled')).toMatchObject({ state: 'paused', receives: 0 });

    await cloud.control('POST', '/event-sources/pause', {});
    const { receives } = await sourceOf('Plain');
    await sqs.send(
      new SendMessageBatchCommand({
        QueueUrl: url('PlainQueue'),
        Entries: [{ Id: '1', MessageBody: 'later' }],
      }),
    );
    expect(await sourceOf('Plain')).toMatchObject({ state: 'paused', receives });

    await cloud.control('POST', '/event-sources/resume', { queue: 'plain' });
    await waitFor('the message', () => reportsOf.Plain.bodies.includes('later'));
  });
});

function unknownItem() {
  return { batchItemFailures: [{ itemIdentifier: 'nobody' }] };
}
