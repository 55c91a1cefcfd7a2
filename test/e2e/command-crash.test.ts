import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { ApiClient, type ApiResponse, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';

jest.setTimeout(300_000);

interface Order {
  readonly command: string;
  readonly body?: unknown;
  /** A job that the command applies to. */
  readonly jobs: (api: ApiClient) => Promise<string>;
  readonly accepted: number;
  readonly ends: object;
}

const failedJob = async (api: ApiClient) => (await api.run('stubborn', {})).jobId;
const waitingJob = async (api: ApiClient) => {
  const jobId = await api.submit('ask', {});
  await api.jobWhen(jobId, ({ status }) => status === 'waiting');
  return jobId;
};

const ORDERS: Order[] = [
  { command: 'cancel', jobs: waitingJob, accepted: 200, ends: { status: 'cancelled' } },
  {
    command: 'signals/answer',
    body: { text: 'yes' },
    jobs: waitingJob,
    accepted: 202,
    ends: { status: 'succeeded', result: { answers: ['yes'] } },
  },
  {
    command: 'retry',
    body: { hint: 'please', fromStep: 'draft' },
    jobs: failedJob,
    accepted: 200,
    ends: { status: 'succeeded', generation: 2, hintCount: 1 },
  },
  {
    command: 'fork',
    body: { fromStep: 'step-2' },
    jobs: async (api) => (await api.run('five-steps', { steps: 3 })).jobId,
    accepted: 202,
    ends: { status: 'succeeded', result: { sum: 6 } },
  },
];

describeLocal('a command that dies', 'only here can a test kill it at a given request', () => {
  let target: LocalTarget;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    await api.run('echo', { value: 'warm' });
  });

  afterAll(async () => {
    await target.stop();
  });

  it.each(ORDERS)('$command, at any of its requests, can be sent again', async (order) => {
    const send = (jobId: string): Promise<ApiResponse> =>
      api.command(jobId, order.command, order.body, { headers: { 'idempotency-key': 'once' } });
    const undisturbed = await order.jobs(api);
    // What the answer shows of a job that has gone on meanwhile takes other requests: none goes on while they are counted.
    await target.control.pauseQueues();
    await target.control.resetCalls('api');
    expect((await send(undisturbed)).status).toBe(order.accepted);
    const { length: count } = await target.control.calls('api');
    expect(count).toBeGreaterThan(3);
    await target.control.resumeQueues();

    const jobIds = await Promise.all(Array.from({ length: count }, () => order.jobs(api)));
    await target.control.pauseQueues();
    // All die first, so that the locks of their keys run out together.
    for (const [index, jobId] of jobIds.entries()) {
      await target.control.crashAt('api', index + 1, index % 2 === 0 ? 'after' : 'before');
      const { status } = await send(jobId);
      expect({ call: index + 1, died: status >= 500 }).toEqual({ call: index + 1, died: true });
    }
    await target.control.resumeQueues();

    for (const [index, jobId] of jobIds.entries()) {
      const call = index + 1;
      const again = await untilAnswered(() => send(jobId));

      expect({ call, status: again.status }).toEqual({ call, status: order.accepted });
      const { jobId: resultId } = JSON.parse(again.text) as { jobId: string };
      expect(await api.finalJob(resultId)).toMatchObject(order.ends);
    }
  });

  /** The key of a request that died is locked for some seconds. */
  async function untilAnswered(send: () => Promise<ApiResponse>): Promise<ApiResponse> {
    const deadline = Date.now() + 10_000;
    for (;;) {
      const answer = await send();
      const isLocked =
        answer.status === 409 && problemOf(answer).code === 'idempotency_in_progress';
      if (!isLocked || Date.now() > deadline) return answer;
      await delay(500);
    }
  }
});
