import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_LANE,
  type HintBatches,
  type JobHint,
  type JobQueue,
} from '../../src/core/ports/job-queue.ts';

export interface JobQueueUnderTest {
  readonly queue: JobQueue & HintBatches;
  /** What a consumer of one of the queues finds there now, delayed hints left out. */
  readonly receive: (isolated: boolean) => Promise<JobHint[]>;
}

const aHint = (parts: Partial<JobHint> = {}): JobHint => ({
  v: 1,
  jobId: 'job-1',
  tenantId: 'acme',
  reason: 'submitted',
  ...parts,
});

/** What every job queue does. */
export function describeJobQueue(name: string, make: () => Promise<JobQueueUnderTest>): void {
  describe(`job queue: ${name}`, () => {
    it('hands a hint to the consumers of the jobs queue as it was sent', async () => {
      const { queue, receive } = await make();
      const hint = aHint({ traceparent: '00-ab-cd-01' });
      await queue.send(hint);
      expect(await receive(true)).toEqual([]);
      expect(await receive(false)).toEqual([hint]);
    });

    it('hands an isolated hint to the consumers of the isolation queue', async () => {
      const { queue, receive } = await make();
      await queue.send(aHint({ reason: 'crashed' }), { isolated: true });
      expect(await receive(false)).toEqual([]);
      expect(await receive(true)).toEqual([aHint({ reason: 'crashed' })]);
    });

    it('keeps a delayed hint back, and counts it as no backlog', async () => {
      const { queue, receive } = await make();
      await queue.send(aHint(), { delaySeconds: 900 });
      await queue.send(aHint({ jobId: 'now' }), { delaySeconds: 0 });
      expect(await queue.backlog(DEFAULT_LANE)).toBe(1);
      expect(await receive(false)).toEqual([aHint({ jobId: 'now' })]);
    });

    it('takes many hints at once, delayed ones too, and none is lost', async () => {
      const { queue, receive } = await make();
      const ids = Array.from({ length: 23 }, (_, index) => `job-${String(index).padStart(2, '0')}`);
      const hints = ids.map((jobId) => ({ hint: aHint({ jobId }), delaySeconds: 0 }));

      const later = { hint: aHint({ jobId: 'later' }), delaySeconds: 900 };
      expect(await queue.sendAll([...hints, later])).toEqual([]);

      const received: JobHint[] = [];
      for (let part = await receive(false); part.length > 0; part = await receive(false)) {
        received.push(...part);
      }
      expect(received.map(({ jobId }) => jobId).sort()).toEqual(ids);
      expect(await queue.sendAll([])).toEqual([]);
    });

    it('counts the backlog of the jobs queue alone', async () => {
      const { queue } = await make();
      expect(await queue.backlog(DEFAULT_LANE)).toBe(0);
      await queue.send(aHint());
      await queue.send(aHint());
      await queue.send(aHint(), { isolated: true });
      expect(await queue.backlog(DEFAULT_LANE)).toBe(2);
    });

    it.each([-1, 901, 0.5, Number.NaN])('refuses a delay of %p seconds', async (delaySeconds) => {
      const { queue } = await make();
      await expect(queue.send(aHint(), { delaySeconds })).rejects.toMatchObject({
        code: 'internal_error',
        details: { delaySeconds },
      });
    });
  });
}
