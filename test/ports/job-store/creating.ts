import { describe, expect, it } from '@jest/globals';
import type { Job } from '../../../src/core/job/job.ts';
import { aJob } from '../../support/builders.ts';
import type { MakeJobStore } from './describe-job-store.ts';

/** Everything a job may hold, with values that stores like to change. */
const FULL_JOB: Job = aJob({
  waitingFor: 'sleep',
  owner: 'invocation-1',
  ownerUntil: 1,
  wakeAt: 2,
  cancelRequestedAt: 3,
  paused: true,
  cuts: [
    { generation: 1, seq: 4, keep: 'succeeded' },
    { generation: 2, seq: 0, keep: { before: 'page[0]/summarize' } },
  ],
  duties: ['webhook', 'deadLetter'],
  startedAt: 4,
  finishedAt: 5,
  metadata: { empty: '', café: '✓', a: '1' },
  tags: ['', 'b'],
  hints: ['try\nagain'],
  traceparent: '00-1-2-03',
  result: { kind: 's3', key: 'k', sizeBytes: 9_000, sha256: 'cd'.repeat(32) },
  error: {
    code: 'step_failed',
    message: '',
    step: 'a',
    attempt: 2,
    cause: { name: 'Error', message: 'm', details: { tiny: 1e-200, huge: 1e300, nothing: null } },
  },
  deadLettered: true,
  totals: {
    progress: { completed: 0.1, total: 1e200, message: '' },
    progressReports: 1,
    stepsSucceeded: 2,
    stepsFailed: 0,
  },
});

export function describeCreating(make: MakeJobStore): void {
  describe('creating jobs', () => {
    it('reads back every field as it was written', async () => {
      const { store } = await make();
      expect(await store.createJob(FULL_JOB)).toEqual({ created: true });
      expect(await store.getJob(FULL_JOB.jobId)).toEqual(FULL_JOB);
    });

    it('knows nothing of a job that was never created', async () => {
      const { store } = await make();
      expect(await store.getJob('job-1')).toBeUndefined();
      expect(await store.getInput(aJob())).toBeUndefined();
    });

    it('answers the first job to a second one under the same id and changes nothing', async () => {
      const { store } = await make();
      const first = aJob();
      await store.createJob(first);

      const second = await store.createJob(aJob({ agent: 'other', fingerprint: 'cd'.repeat(32) }));

      expect(second).toEqual({ created: false, existing: first });
      expect(await store.getJob('job-1')).toEqual(first);
    });

    it('lets exactly one of many simultaneous submissions create the job', async () => {
      const { store } = await make();
      const jobs = Array.from({ length: 8 }, (_, index) => aJob({ traceparent: `t${index}` }));

      const answers = await Promise.all(jobs.map((job) => store.createJob(job)));

      expect(answers.filter(({ created }) => created)).toHaveLength(1);
      const stored = await store.getJob('job-1');
      for (const answer of answers) {
        if (!answer.created) expect(answer.existing).toEqual(stored);
      }
    });

    it('keeps what it stored when the caller changes its object afterwards', async () => {
      const { store } = await make();
      const tags = ['a'];
      await store.createJob(aJob({ tags }));
      tags.push('b');
      expect((await store.getJob('job-1'))?.tags).toEqual(['a']);
    });
  });

  describe('inputs and results in items of their own', () => {
    const input = { kind: 'item', sizeBytes: 11 } as const;

    it('reads an input back byte for byte', async () => {
      const { store } = await make();
      const json = '{ "a":  1.0, "é": "\\u00e9" }';
      await store.createJob(aJob({ input }), json);
      expect(await store.getInput(aJob())).toBe(json);
    });

    it('does not let a second payload under the same id overwrite the input of the first', async () => {
      const { store } = await make();
      const first = aJob({ input, fingerprint: '11'.repeat(32) });
      await store.createJob(first, '"first"');

      await store.createJob(aJob({ input, fingerprint: '22'.repeat(32) }), '"second"');

      expect(await store.getInput(first)).toBe('"first"');
      expect((await store.loadHistory('job-1')).inputJson).toBe('"first"');
    });

    it('keeps results of generations and epochs apart', async () => {
      const { store } = await make();
      const result = { jobId: 'job-1', generation: 1, epoch: 2, expiresAtSeconds: 2_000_000_000 };
      await store.putResult({ ...result, json: '"owner"' });
      await store.putResult({ ...result, json: '"owner"' });
      await store.putResult({ ...result, epoch: 1, json: '"zombie"' });
      await store.putResult({ ...result, generation: 2, json: '"next"' });

      expect(await store.getResult(result)).toBe('"owner"');
      expect(await store.getResult({ ...result, epoch: 1 })).toBe('"zombie"');
      expect(await store.getResult({ ...result, generation: 2 })).toBe('"next"');
      expect(await store.getResult({ ...result, generation: 3 })).toBeUndefined();
    });
  });
}
