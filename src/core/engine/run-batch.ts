import type { EngineDeps, Invocation } from './engine-deps.ts';
import { runJob } from './run-job.ts';
import { recordUsage } from '../tenants/record-usage.ts';
import { sliceOf } from './slice.ts';

export interface Batch {
  /** Unique per invocation: it owns the jobs. */
  readonly invocationId: string;
  /** Epoch milliseconds at which the platform ends the invocation. */
  readonly endsAt: number;
  readonly leaseMs: number;
  readonly jobIds: readonly string[];
  /** Ids of the messages that brought them, for the logs. */
  readonly messageIds?: ReadonlyMap<string, string>;
}

const MANIFEST_LIFETIME_SECONDS = 86_400;

/**
 * Works on the jobs of one invocation side by side, under one lease: a manifest that lists them and is renewed while the
 * event loop turns. None of them touches another; one that cannot go on is handed back.
 */
export async function runBatch(deps: EngineDeps, batch: Batch): Promise<void> {
  const { clock, jobs, telemetry } = deps;
  const jobIds = [...new Set(batch.jobIds)];
  if (jobIds.length === 0) return;
  const now = clock.now();
  await jobs.putManifest({
    invocationId: batch.invocationId,
    jobIds,
    leaseExpiresAt: now + batch.leaseMs,
    expiresAtSeconds: Math.ceil(now / 1_000) + MANIFEST_LIFETIME_SECONDS,
  });
  const attention: Invocation['attention'] = new Map();
  const lease = keepLease(deps, batch, attention);
  const progress = { done: 0, of: jobIds.length, mostDoneAt: Infinity };
  const invocation = createInvocation(batch, now, {
    alone: jobIds.length === 1,
    leaseLost: lease.lost,
    attention,
    shouldYield: () => decideYield(progress, clock.now()),
  });
  telemetry.measure('JobsPerInvocation', jobIds.length);
  let busyMs = 0;
  const released = await Promise.all(
    jobIds.map(async (jobId) => {
      const isReleased = await runJob(deps, invocation, jobId);
      busyMs += clock.now() - now;
      progress.done++;
      if (isMostDone(progress)) progress.mostDoneAt = Math.min(progress.mostDoneAt, clock.now());
      return isReleased;
    }),
  );
  lease.stop();
  const slotMs = jobIds.length * (clock.now() - now);
  if (slotMs > 0) telemetry.measure('SlotUsePercent', (100 * busyMs) / slotMs);
  // A job that may still be held is taken back by the sweeper once the lease runs out: for that the manifest stays.
  const mayGo = released.every(Boolean) && !lease.lost.aborted;
  await Promise.all([
    recordUsage(deps, invocation.ended),
    ...(mayGo ? [endManifest(deps, batch.invocationId)] : []),
  ]);
}

interface BatchProgress {
  readonly done: number;
  readonly of: number;
  /** When most of the batch was done; Infinity before. */
  readonly mostDoneAt: number;
}

const MOST = 0.8;
const YIELD_AFTER_MS = 5_000;

function isMostDone({ done, of }: BatchProgress): boolean {
  return of > 1 && done >= of * MOST;
}

/**
 * Early yield: some seconds after four fifths of a batch are done, the stragglers go on by a message of their own, at their next
 * step. Else a few long jobs would hold a whole invocation, and its messages, for themselves.
 */
function decideYield(progress: BatchProgress, now: number): boolean {
  return isMostDone(progress) && now >= progress.mostDoneAt + YIELD_AFTER_MS;
}

/** What the jobs of one invocation share. */
export function createInvocation(
  batch: Pick<Batch, 'invocationId' | 'endsAt' | 'messageIds'>,
  now: number,
  shared: Pick<Invocation, 'alone' | 'leaseLost' | 'attention' | 'shouldYield'>,
): Invocation {
  const { sliceMs, marginMs } = sliceOf(batch.endsAt - now);
  return {
    id: batch.invocationId,
    endsAt: batch.endsAt,
    sliceEndsAt: batch.endsAt - marginMs,
    sliceMs,
    ...shared,
    ended: [],
    ...(batch.messageIds !== undefined && { messageIds: batch.messageIds }),
  };
}

/**
 * Renews the manifest every third of the lease. One refusal, or a whole lease without an answer, and the lease is lost. The
 * answer brings the jobs that somebody wants to be looked at.
 */
function keepLease(
  deps: EngineDeps,
  batch: Batch,
  attention: Invocation['attention'],
): { lost: AbortSignal; stop: () => void } {
  const { clock, jobs, telemetry } = deps;
  const { invocationId, leaseMs } = batch;
  const controller = new AbortController();
  let expiresAt = clock.now() + leaseMs;
  let attended = 0;
  let stopped = false;
  let cancel = (): void => undefined;

  const beat = async (): Promise<void> => {
    const renewed = clock.now() + leaseMs;
    try {
      const manifest = await jobs.renewManifest(invocationId, renewed);
      expiresAt = manifest === undefined ? 0 : renewed;
      const calls = manifest?.attention ?? [];
      for (const jobId of new Set(calls.slice(attended))) attention.get(jobId)?.();
      attended = calls.length;
    } catch (error) {
      telemetry.log('warn', 'the lease could not be renewed', { invocationId, error });
    }
    if (stopped) return;
    if (clock.now() >= expiresAt)
      controller.abort(new Error('the lease of this invocation is lost'));
    else schedule();
  };
  const schedule = (): void => {
    cancel = clock.setTimer(leaseMs / 3, () => void beat());
  };
  schedule();
  return {
    lost: controller.signal,
    stop: () => {
      stopped = true;
      cancel();
    },
  };
}

async function endManifest(deps: EngineDeps, invocationId: string): Promise<void> {
  try {
    await deps.jobs.deleteManifest(invocationId);
  } catch (error) {
    // The sweeper finds it expired, and no job in it that is still running.
    deps.telemetry.log('warn', 'the manifest could not be deleted', { invocationId, error });
  }
}
