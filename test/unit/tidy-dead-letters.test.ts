import { beforeEach, describe, expect, it } from '@jest/globals';
import { MemoryDeadLetterQueue } from '../../src/adapters/memory/dead-letter-queue.ts';
import { memoryJobStore } from '../../src/adapters/memory/job-store.ts';
import { tidyDeadLetters } from '../../src/core/commands/tidy-dead-letters.ts';
import type { Job } from '../../src/core/job/job.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { aJob, NOON } from '../support/builders.ts';

const JOB_ID = `job_${'0'.repeat(26)}`;
const letter = (generation: number) => JSON.stringify({ v: 1, jobId: JOB_ID, generation });
const HINT = JSON.stringify({ v: 1, jobId: JOB_ID, tenantId: 'acme', reason: 'submitted' });

describe('tidying the dead-letter queue', () => {
  let jobs: JobStore;
  let inbox: MemoryDeadLetterQueue;
  let receives: number;

  beforeEach(() => {
    jobs = memoryJobStore({ now: () => NOON });
    inbox = new MemoryDeadLetterQueue();
    receives = 0;
  });

  const given = (parts: Partial<Job>) => jobs.createJob(aJob({ jobId: JOB_ID, ...parts }));
  const tidy = (maxReceives = 20) => {
    const counted = {
      count: () => inbox.count(),
      remove: (receipts: readonly string[]) => inbox.remove(receipts),
      release: (receipts: readonly string[]) => inbox.release(receipts),
      receive: () => {
        receives++;
        return inbox.receive();
      },
    };
    return tidyDeadLetters({ jobs, inbox: counted }, { maxReceives });
  };

  it.each([
    { name: 'of the generation that failed', job: { generation: 2 }, body: letter(2), left: 1 },
    { name: 'of one before it', job: { generation: 2 }, body: letter(1), left: 0 },
    { name: 'of a job that has gone', job: { jobId: 'other' }, body: letter(1), left: 1 },
    { name: 'that is a hint of a job under way', job: {}, body: HINT, left: 1 },
    {
      name: 'that is a hint of a job that has ended',
      job: { status: 'succeeded' } as const,
      body: HINT,
      left: 0,
    },
    { name: 'that is no JSON', job: {}, body: '{', left: 1 },
    { name: 'that is null', job: {}, body: 'null', left: 1 },
    {
      name: 'of a later version',
      job: { generation: 9 },
      body: letter(1).replace('1', '2'),
      left: 1,
    },
  ])('leaves $left of a message $name', async ({ job, body, left }) => {
    await given(job);
    inbox.put(body);
    const report = await tidy();
    expect(report).toMatchObject({ examined: 1, removed: 1 - left });
    expect(await inbox.count()).toBe(left);
  });

  it('ends when it has seen everything, and counts nothing twice', async () => {
    await given({});
    for (let number = 0; number < 3; number++) inbox.put(letter(1));
    inbox.put('no letter');
    expect(await tidy()).toEqual({ examined: 4, removed: 0, unreadable: 1 });
    expect(receives).toBe(3);
  });

  it('looks no more often than it may', async () => {
    await given({ generation: 2 });
    for (let number = 0; number < 35; number++) inbox.put(letter(1));
    expect(await tidy(2)).toEqual({ examined: 20, removed: 20, unreadable: 0 });
    expect(await tidy(20)).toEqual({ examined: 15, removed: 15, unreadable: 0 });
  });

  it('looks once at a queue that is empty', async () => {
    expect(await tidy()).toEqual({ examined: 0, removed: 0, unreadable: 0 });
    expect(receives).toBe(1);
  });
});
