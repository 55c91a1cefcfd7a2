import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { MemoryDeadLetterQueue } from '../../src/adapters/memory/dead-letter-queue.ts';
import { MemoryJobQueue } from '../../src/adapters/memory/job-queue.ts';
import { sqsDeadLetterQueue } from '../../src/adapters/sqs/dead-letter-queue.ts';
import { sqsJobQueue } from '../../src/adapters/sqs/job-queue.ts';
import {
  type DeadLetter,
  type DeadLetterQueue,
  DEFAULT_LANE,
  type JobHint,
} from '../../src/core/ports/job-queue.ts';
import { MESSAGE_GROUP_ATTRIBUTE } from '../../src/settings/names.ts';
import { NOON } from '../support/builders.ts';
import { type QueueAndBucketEmulator, startQueuesAndBuckets } from '../support/emulators.ts';
import { describeJobQueue } from './describe-job-queue.ts';

let emulator: QueueAndBucketEmulator;

beforeAll(async () => {
  emulator = await startQueuesAndBuckets();
});

afterAll(() => emulator.stop());

async function receive(url: string) {
  const { Messages = [] } = await emulator.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: url,
      MaxNumberOfMessages: 10,
      MessageAttributeNames: ['All'],
    }),
  );
  return Messages;
}

describeJobQueue('memory', () => {
  const queue = new MemoryJobQueue({ now: () => NOON });
  return Promise.resolve({
    queue,
    receive: (isolated) => Promise.resolve(queue.receive(10, { isolated })),
  });
});

describeJobQueue('SQS emulator', () => {
  const jobsUrl = emulator.createQueue();
  const isolationUrl = emulator.createQueue();
  return Promise.resolve({
    queue: sqsJobQueue({ client: emulator.sqs, jobsUrl, isolationUrl }),
    receive: async (isolated) => {
      const messages = await receive(isolated ? isolationUrl : jobsUrl);
      return messages.map(({ Body = '' }) => JSON.parse(Body) as JobHint);
    },
  });
});

const HINT: JobHint = { v: 1, jobId: 'job-1', tenantId: 'acme', reason: 'overdue' };

describe('hints on SQS', () => {
  it('carry their tenant as message group, which the attribute repeats', async () => {
    const jobsUrl = emulator.createQueue();
    const groups: unknown[] = [];
    const client = emulator.connectSqs();
    client.middlewareStack.add(
      (next) => (args) => {
        groups.push((args.input as { MessageGroupId?: string }).MessageGroupId);
        return next(args);
      },
      { step: 'initialize' },
    );
    await sqsJobQueue({ client, jobsUrl }).send(HINT);
    client.destroy();

    const [message] = await receive(jobsUrl);
    expect(groups).toEqual(['acme']);
    expect(message?.MessageAttributes?.[MESSAGE_GROUP_ATTRIBUTE]?.StringValue).toBe('acme');
  });

  it('are sent ten at a time, and those that are refused are named', async () => {
    const client = emulator.connectSqs();
    const sizes: number[] = [];
    client.middlewareStack.add(
      (next) => async (args) => {
        const { Entries = [] } = args.input as { Entries?: unknown[] };
        const request = sizes.push(Entries.length);
        if (request === 2) throw new Error('the connection broke');
        const answer = await next(args);
        if (request === 1)
          Object.assign(answer.output, { Failed: [{ Id: '3', Code: 'InternalError' }] });
        return answer;
      },
      { step: 'initialize' },
    );
    const hints = Array.from({ length: 13 }, (_, index) => ({
      hint: { ...HINT, jobId: `job-${index}` },
      delaySeconds: 0,
    }));
    const queue = sqsJobQueue({ client, jobsUrl: emulator.createQueue() });

    const refused = await queue.sendAll(hints);

    client.destroy();
    expect(sizes).toEqual([10, 3]);
    expect(refused.map(({ hint, error }) => [hint.jobId, error])).toEqual([
      ['job-3', { Id: '3', Code: 'InternalError' }],
      ...['job-10', 'job-11', 'job-12'].map((id) => [id, new Error('the connection broke')]),
    ]);
  });

  it('go to the queues of the lane that names their agent, and nowhere else', async () => {
    const [jobsUrl, isolationUrl] = [emulator.createQueue(), emulator.createQueue()];
    const lane = {
      name: 'heavy',
      agents: ['report'],
      jobsUrl: emulator.createQueue(),
      isolationUrl: emulator.createQueue(),
    };
    const queue = sqsJobQueue({ client: emulator.sqs, jobsUrl, isolationUrl, lanes: [lane] });
    const heavy = { ...HINT, jobId: 'heavy', agent: 'report' };
    const light = { ...HINT, jobId: 'light', agent: 'echo' };

    await queue.send({ ...heavy, reason: 'crashed' }, { isolated: true });
    await queue.sendAll([light, heavy].map((hint) => ({ hint, delaySeconds: 0 })));
    await queue.send(HINT);

    expect([queue.laneOf('report'), queue.laneOf('echo')]).toEqual(['heavy', DEFAULT_LANE]);
    expect([await queue.backlog('heavy'), await queue.backlog(DEFAULT_LANE)]).toEqual([1, 2]);
    const jobIdsIn = async (url: string) =>
      (await receive(url)).map(({ Body = '' }) => (JSON.parse(Body) as JobHint).jobId).sort();
    expect(await jobIdsIn(lane.jobsUrl)).toEqual(['heavy']);
    expect(await jobIdsIn(lane.isolationUrl)).toEqual(['heavy']);
    expect(await jobIdsIn(jobsUrl)).toEqual(['job-1', 'light']);
    expect(await jobIdsIn(isolationUrl)).toEqual([]);
  });

  it('are not isolated by a function that was composed without an isolation queue', async () => {
    const queue = sqsJobQueue({ client: emulator.sqs, jobsUrl: emulator.createQueue() });
    await expect(queue.send(HINT, { isolated: true })).rejects.toMatchObject({
      code: 'internal_error',
    });
  });
});

const LETTER: DeadLetter = {
  v: 1,
  jobId: 'job-1',
  tenantId: 'acme',
  agent: 'summarize',
  generation: 2,
  code: 'step_failed',
  message: 'step "combine" failed',
  step: 'combine',
  attempt: 3,
  cause: { name: 'TypeError', message: 'x is not a function', code: 'E1' },
  failedAt: '2030-01-01T12:00:00.000Z',
};

const DEAD_LETTER_QUEUES = [
  {
    name: 'memory',
    make: (): { queue: DeadLetterQueue; letters: () => Promise<unknown[]> } => {
      const queue = new MemoryDeadLetterQueue();
      return { queue, letters: () => Promise.resolve([...queue.letters]) };
    },
  },
  {
    name: 'SQS emulator',
    make: (): { queue: DeadLetterQueue; letters: () => Promise<unknown[]> } => {
      const url = emulator.createQueue();
      const letters = async () =>
        (await receive(url)).map(({ Body = '' }) => JSON.parse(Body) as unknown);
      return { queue: sqsDeadLetterQueue({ client: emulator.sqs, url }), letters };
    },
  },
];

describe.each(DEAD_LETTER_QUEUES)('dead-letter queue: $name', ({ make }) => {
  it('keeps a letter as it was sent', async () => {
    const { queue, letters } = make();
    await queue.send(LETTER);
    expect(await letters()).toEqual([LETTER]);
  });
});
