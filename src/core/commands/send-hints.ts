import type { HintBatches, QueuedHint, RefusedHint } from '../ports/job-queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';

/** Sends the hints of stored jobs together. What the queue refuses is made good by the sweeper: the jobs are overdue in 30 s. */
export async function sendHints(
  deps: { readonly hints: HintBatches; readonly telemetry: Telemetry },
  hints: readonly QueuedHint[],
): Promise<void> {
  if (hints.length === 0) return;
  const refused = await refusedOf(deps.hints, hints);
  for (const { hint, error } of refused) {
    const { jobId, tenantId } = hint;
    deps.telemetry.log('warn', 'the queue refused the hint: the sweeper will send it', {
      jobId,
      tenantId,
      error,
    });
  }
  if (refused.length > 0) deps.telemetry.count('EnqueueFailed', refused.length);
}

async function refusedOf(
  batches: HintBatches,
  hints: readonly QueuedHint[],
): Promise<readonly RefusedHint[]> {
  try {
    return await batches.sendAll(hints);
  } catch (error) {
    return hints.map((queued) => ({ ...queued, error }));
  }
}
