import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { ApiClient } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';

jest.setTimeout(240_000);

const LANES = 'longhaul:workers={"heavy":{"agents":["deadly"],"batchSize":1,"memoryMb":256}}';
const HEAVY_QUEUE = 'queueheavyjobs';
const WITHIN = { withinMs: 120_000 };

describeLocal('a lane for one agent', 'only here can a test look into workers', () => {
  let target: LocalTarget;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startLocalTarget([LANES]);
    api = new ApiClient(target);
  });

  afterAll(async () => {
    await target.stop();
  });

  it('keeps a job that runs out of memory away from the jobs of other agents', async () => {
    const killer = await api.submit('deadly', { how: 'oom', times: 1 });
    const others = await Promise.all(
      Array.from({ length: 4 }, () => api.submit('five-steps', { stepMs: 100 })),
    );

    for (const jobId of others) {
      expect(await api.finalJob(jobId, WITHIN)).toMatchObject({ status: 'succeeded', attempts: 1 });
    }
    expect(await api.finalJob(killer, WITHIN)).toMatchObject({
      status: 'succeeded',
      attempts: 2,
      result: { tries: 2 },
    });
    expect(await target.control.calls('heavy')).toContain('dynamodb:UpdateItem');
  });

  it('gets back a hint that came to the worker of another lane, unclaimed', async () => {
    await target.control.pauseQueues(HEAVY_QUEUE);
    const jobId = await api.submit('deadly', { how: 'exit', times: 0 });
    await target.control.resetCalls('worker');
    const stray = { v: 1, jobId, tenantId: 'acme', agent: 'deadly', reason: 'overdue' };
    await target.queues.sendToJobsQueue(JSON.stringify(stray));

    await callOf('worker', 'sqs:SendMessage');
    expect((await api.job(jobId)).attempts).toBe(0);

    await target.control.resumeQueues(HEAVY_QUEUE);
    expect(await api.finalJob(jobId, WITHIN)).toMatchObject({ status: 'succeeded', attempts: 1 });
    expect(await target.control.calls('worker')).not.toContain('dynamodb:PutItem');
  });

  async function callOf(name: string, call: string): Promise<void> {
    const deadline = Date.now() + WITHIN.withinMs;
    while (!(await target.control.calls(name)).includes(call)) {
      if (Date.now() > deadline) throw new Error(`${name} has not called ${call}`);
      await delay(50);
    }
  }
});
