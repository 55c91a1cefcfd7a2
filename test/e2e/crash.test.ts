import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import type { TraceEntry } from '../../src/protocol/trace.ts';
import { ApiClient } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';

jest.setTimeout(300_000);

const INPUT = { steps: 3 };
/** Lease, claim, a page for each step, the end of the job, the tenant's usage, the end of the lease. */
const CALLS = [
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:PutItem',
  'dynamodb:PutItem',
  'dynamodb:PutItem',
  'dynamodb:UpdateItem',
  'dynamodb:UpdateItem',
  'dynamodb:DeleteItem',
];

interface CrashPoint {
  readonly number: number;
  readonly call: string;
  readonly when: 'before' | 'after';
  /** How things stood when the worker was dead and nobody else had the job yet. */
  died?: { readonly job: JobRepresentation; readonly trace: readonly TraceEntry[] };
}

const POINTS: CrashPoint[] = CALLS.flatMap((call, index) => [
  { number: index + 1, call, when: 'before' },
  { number: index + 1, call, when: 'after' },
]);

describeLocal('a worker that dies', 'only here can a test kill it at a given request', () => {
  let target: LocalTarget;
  let api: ApiClient;
  let undisturbed: string[];

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    await api.run('five-steps', INPUT);
    undisturbed = await callsOf(() => api.run('five-steps', INPUT));
    // On a machine so busy that the job takes over a second its progress gets a page of its own.
    while (undisturbed.length > CALLS.length) {
      undisturbed = await callsOf(() => api.run('five-steps', INPUT));
    }
    // Whoever is taken back from a dead worker waits in the isolation queue until the last one has died.
    await target.control.pauseQueues('isolation');
    // Backwards, since a job that dies unclaimed is due again 30 s later whatever is paused.
    for (const point of POINTS.toReversed()) point.died = await die(point);
    await target.control.resumeQueues('isolation');
  });

  afterAll(async () => {
    await target.stop();
  });

  const isIdle = async (): Promise<boolean> =>
    (await target.control.busyEnvironments('worker')).length === 0;

  async function callsOf(work: () => Promise<unknown>): Promise<string[]> {
    await until(isIdle);
    await target.control.resetCalls('worker');
    await work();
    await until(isIdle);
    return target.control.calls('worker');
  }

  async function die({ number, when }: CrashPoint): Promise<NonNullable<CrashPoint['died']>> {
    await target.control.crashAt('worker', number, when);
    const jobId = await api.submit('five-steps', INPUT);
    await until(async () => {
      const calls = await target.control.calls('worker');
      return calls.length >= number && (await isIdle());
    });
    return { job: await api.job(jobId), trace: await api.trace(jobId) };
  }

  it('makes the requests that this suite knows', () => {
    expect(undisturbed).toEqual(CALLS);
  });

  it('dies unclaimed, claimed with none to three steps recorded, and with the job done', () => {
    const deaths = POINTS.map(({ died }) => `${stateOf(died?.job)} ${steps(died?.trace).length}`);

    expect([...new Set(deaths)]).toEqual([
      'unclaimed 0',
      'claimed 0',
      'claimed 1',
      'claimed 2',
      'claimed 3',
      'succeeded 3',
    ]);
  });

  it.each(POINTS)(
    '$when request $number ($call) has its job done by another, which repeats no finished step',
    async ({ died }) => {
      if (died === undefined) throw new Error('the worker did not die');
      const { jobId } = died.job;

      const job = await api.finalJob(jobId, { withinMs: 120_000 });

      expect(job).toMatchObject({ status: 'succeeded', result: { sum: 6 } });
      const wasHeld = stateOf(died.job) === 'claimed';
      expect(job.attempts).toBe(wasHeld ? 2 : 1);
      const trace = await api.trace(jobId);
      const outcomes = steps(trace);
      expect(outcomes.map(({ step }) => step)).toEqual(['step-1', 'step-2', 'step-3']);
      const recorded = steps(died.trace);
      expect(outcomes.slice(0, recorded.length)).toEqual(recorded);
      const later = outcomes.slice(recorded.length);
      later.forEach(({ attempt }) => {
        expect(attempt).toBe(job.attempts);
      });
      // An attempt after a crash writes down which step it starts, up to its first outcome.
      const started = trace.flatMap((entry) => (entry.type === 'step.started' ? [entry.step] : []));
      expect(started).toEqual(wasHeld ? later.slice(0, 1).map(({ step }) => step) : []);
    },
  );
});

function stateOf(job: JobRepresentation | undefined): string {
  if (job?.status === 'succeeded') return 'succeeded';
  return job?.attempts === 0 ? 'unclaimed' : 'claimed';
}

function steps(trace: readonly TraceEntry[] = []) {
  return trace.flatMap((entry) => (entry.type === 'step.succeeded' ? [entry] : []));
}

async function until(holds: () => Promise<boolean>, limitMs = 60_000): Promise<void> {
  const deadline = Date.now() + limitMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not so within ${limitMs} ms`);
    await delay(50);
  }
}
