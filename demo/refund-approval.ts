import { setTimeout as delay } from 'node:timers/promises';
import { LonghaulError, type SubmittedJob } from '../client/index.ts';
import { expectThat } from './expect-that.ts';
import { accepted, entriesOf, type JobOf, readTrace, untilStatus } from './jobs.ts';
import type { LocalCloud } from './local-cloud.ts';
import { print, printTable } from './print.ts';
import { workerCallCount } from './worker-crash.ts';

interface Refund {
  readonly outcome: string;
  readonly decidedBy?: string;
  readonly refundId?: string;
  readonly letter?: string;
}

const LIMIT_MS = 20_000;
const QUIET_MS = 2_000;
const EXPIRES_AFTER_SECONDS = 6;
const REQUEST = { customer: 'Ada Lovelace', amountCents: 12_905, currency: 'EUR' };

/** Refunds wait for a human: one is approved, one rejected, and about one nobody decides. */
export async function refundApprovalDemo(cloud: LocalCloud): Promise<void> {
  const approved = await ask(cloud, { orderId: 'A-1042', reason: 'a cup arrived broken' });
  const rejected = await ask(cloud, { orderId: 'A-1043', reason: 'changed my mind after a year' });
  await showWaiting(cloud, [approved, rejected]);
  await approve(cloud, approved);
  await reject(cloud, rejected);
  await letExpire(cloud);
  await showTrace(cloud, approved);
}

interface Request {
  readonly orderId: string;
  readonly reason: string;
  readonly decideWithinSeconds?: number;
}

async function ask(cloud: LocalCloud, request: Request): Promise<SubmittedJob> {
  print();
  print(`Ask for a refund of order ${request.orderId}: ${request.reason}`);
  const input = { ...REQUEST, ...request };
  return accepted(cloud.client.submit({ agent: 'refund-approval', input }));
}

/** Waiting costs nothing: no worker runs, and none asks whether somebody has decided. */
async function showWaiting(cloud: LocalCloud, jobs: readonly SubmittedJob[]): Promise<void> {
  print();
  print('Each has drafted its letter and waits for a decision');
  for (const { jobId } of jobs) {
    const { waitingFor } = await untilStatus(cloud, jobId, {
      status: 'waiting',
      limitMs: LIMIT_MS,
    });
    expectThat(waitingFor?.reason === 'signal', `the job waits for ${String(waitingFor?.reason)}`);
    print(
      `  ${jobId}  waits for a ${waitingFor.reason}, until ${waitingFor.until ?? 'its deadline'}`,
    );
  }
  const before = await workerCallCount(cloud);
  await delay(QUIET_MS);
  const made = (await workerCallCount(cloud)) - before;
  expectThat(made === 0, `workers made ${made} requests to AWS while the jobs waited`);
  print(
    `  For ${QUIET_MS / 1000} s workers made ${made} requests to AWS: nobody holds these jobs.`,
  );
}

async function approve(cloud: LocalCloud, { jobId }: SubmittedJob): Promise<void> {
  print();
  print('Approve the first, twice: somebody clicked again');
  await decide(cloud, jobId, { approved: true, by: 'grace' });
  await decide(cloud, jobId, { approved: true, by: 'grace' }, [202, 409]);
  const job = await end(cloud, jobId, 'refunded');
  const { refundId, decidedBy, letter } = job.result ?? {};
  expectThat(refundId !== undefined, 'nothing was paid');
  print(`  paid as ${refundId}, decided by ${decidedBy ?? 'nobody'}. The letter:`);
  for (const line of (letter ?? '').trimEnd().split('\n')) print(`  | ${line}`);
  const late = await send(cloud, jobId, { approved: false, by: 'x' });
  expectThat(late === 409, `a decision about a refund that is paid was answered ${late}`);
  print('  A decision that comes now is answered 409 Conflict.');
}

async function reject(cloud: LocalCloud, { jobId }: SubmittedJob): Promise<void> {
  print();
  print('Reject the second, after a signal that makes no sense');
  await decide(cloud, jobId, { approved: 'perhaps' });
  await decide(cloud, jobId, { approved: false, by: 'grace', note: 'A year is too long.' });
  const { result } = await end(cloud, jobId, 'rejected');
  expectThat(result?.refundId === undefined, 'a rejected refund was paid');
  const trace = await readTrace(cloud, jobId);
  expectThat(
    trace.some(({ type }) => type === 'signal.rejected'),
    'the bad signal left no trace',
  );
  print('  The bad signal was put aside, the good one counted; nothing was paid.');
}

async function letExpire(cloud: LocalCloud): Promise<void> {
  const { jobId } = await ask(cloud, {
    orderId: 'A-1044',
    reason: `the parcel came late; nobody decides within ${EXPIRES_AFTER_SECONDS} s`,
    decideWithinSeconds: EXPIRES_AFTER_SECONDS,
  });
  const { result } = await end(cloud, jobId, 'expired');
  expectThat(result?.refundId === undefined, 'an expired refund was paid');
  print('  It has expired; nothing was paid.');
}

async function decide(
  cloud: LocalCloud,
  jobId: string,
  body: unknown,
  allowed: readonly number[] = [202],
): Promise<void> {
  const status = await send(cloud, jobId, body);
  expectThat(allowed.includes(status), `the signal was answered ${status}`);
  print(`  POST …/signals/decision ${JSON.stringify(body)}: ${status}`);
}

/** Status of the answer to a decision. */
async function send(cloud: LocalCloud, jobId: string, body: unknown): Promise<number> {
  try {
    await cloud.client.signal(jobId, 'decision', body);
    return 202;
  } catch (error) {
    if (error instanceof LonghaulError && error.code === 'conflict') return 409;
    throw error;
  }
}

async function end(cloud: LocalCloud, jobId: string, outcome: string): Promise<JobOf<Refund>> {
  const job = await untilStatus<Refund>(cloud, jobId, {
    status: 'succeeded',
    limitMs: LIMIT_MS,
  });
  expectThat(job.result?.outcome === outcome, `the outcome is ${String(job.result?.outcome)}`);
  return job;
}

async function showTrace(cloud: LocalCloud, { jobId }: SubmittedJob): Promise<void> {
  const trace = await readTrace(cloud, jobId);
  print();
  print('The trace of the first');
  printTable(
    ['entry', 'step', 'attempt', 'at'],
    trace.map((entry) => [
      entry.type,
      'step' in entry ? (entry.step ?? '') : '',
      String(entry.attempt),
      entry.at.slice(11, 23),
    ]),
  );
  const paid = entriesOf(trace, 'step.succeeded').filter(({ step }) => step === 'refund');
  const decisions = entriesOf(trace, 'signal.received').length;
  expectThat(paid.length === 1, `the refund is recorded ${paid.length} times`);
  expectThat(decisions === 1, `${decisions} decisions were taken`);
  print('  One decision was taken and one refund is recorded.');
}
