import type { ChildOutcome } from '../../src/core/job/child-outcome.ts';
import type { Job, Totals } from '../../src/core/job/job.ts';
import type { JournalEntry, JournalPage } from '../../src/core/job/journal.ts';
import type { Delivery } from '../../src/core/notify/delivery.ts';
import type { ReceivedSignal } from '../../src/core/job/signal.ts';
import type { SliceManifest } from '../../src/core/job/slice-manifest.ts';

/** Noon of a day that no test depends on. */
export const NOON = Date.UTC(2030, 0, 1, 12);
const DAY_MS = 86_400_000;

const NO_TOTALS: Totals = { progressReports: 0, stepsSucceeded: 0, stepsFailed: 0 };

/** A job as it has just been submitted. */
export function aJob(parts: Partial<Job> = {}): Job {
  const createdAt = parts.createdAt ?? NOON;
  return {
    jobId: 'job-1',
    tenantId: 'acme',
    agent: 'summarize',
    status: 'queued',
    generation: 1,
    epoch: 0,
    wakeups: 0,
    deadlineAt: createdAt + 30 * DAY_MS,
    dueAt: createdAt + 30_000,
    crashes: 0,
    createdAt,
    updatedAt: createdAt,
    fingerprint: 'ab'.repeat(32),
    input: { kind: 'inline', json: '{"title":"Report"}' },
    expiresAtSeconds: (createdAt + 120 * DAY_MS) / 1000,
    ...parts,
  };
}

/** A notification that nobody has tried to send. */
export function aDelivery(parts: Partial<Delivery> = {}): Delivery {
  const { input: _input, fingerprint: _fingerprint, dueAt: _dueAt, ...job } = aJob();
  return {
    jobId: 'job-1',
    deliveryId: 'msg_1',
    tenantId: 'acme',
    generation: 1,
    event: 'job.succeeded',
    endpointId: 'job',
    url: 'https://example.com/hook',
    status: 'pending',
    tries: [],
    failedTries: 0,
    triedSince: NOON,
    nextTryAt: NOON,
    dueAt: NOON + 30_000,
    createdAt: NOON,
    job: { ...job, status: 'succeeded', finishedAt: NOON },
    expiresAtSeconds: NOON / 1000 + 10_000_000,
    ...parts,
  };
}

export function aStep(stepId: string, json = '"done"'): JournalEntry {
  return {
    type: 'step.succeeded',
    at: NOON,
    attempt: 1,
    stepId,
    try: 1,
    durationMs: 7,
    outcome: { kind: 'inline', json },
  };
}

export function aPage(parts: Partial<JournalPage> = {}): JournalPage {
  return {
    jobId: 'job-1',
    generation: 1,
    seq: 1,
    entries: [aStep('first')],
    totals: { ...NO_TOTALS, stepsSucceeded: 1 },
    expiresAtSeconds: NOON / 1000 + 10_000_000,
    ...parts,
  };
}

export function aSignal(parts: Partial<ReceivedSignal> = {}): ReceivedSignal {
  return {
    jobId: 'job-1',
    name: 'approval',
    signalId: 'signal-1',
    body: { kind: 'inline', json: '{"approved":true}' },
    receivedAt: NOON,
    expiresAtSeconds: NOON / 1000 + 10_000_000,
    ...parts,
  };
}

/** Of a sub-job of `job-1`. */
export function aChildOutcome(parts: Partial<ChildOutcome> = {}): ChildOutcome {
  return {
    parentId: 'job-1',
    childId: 'child-1',
    status: 'succeeded',
    result: { kind: 'inline', json: '"done"' },
    expiresAtSeconds: NOON / 1000 + 10_000_000,
    ...parts,
  };
}

export function aManifest(parts: Partial<SliceManifest> = {}): SliceManifest {
  return {
    invocationId: 'invocation-1',
    jobIds: ['job-1', 'job-2'],
    leaseExpiresAt: NOON + 60_000,
    expiresAtSeconds: NOON / 1000 + 86_400,
    ...parts,
  };
}
