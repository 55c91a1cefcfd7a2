import type { HintBatches, QueuedHint, RefusedHint } from '../ports/job-queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import { traceIdOf } from '../trace/trace-context.ts';

/** Sends the hints of stored jobs together. */
export async function sendHints(
  deps: { readonly hints: HintBatches; readonly telemetry: Telemetry },
  hints: readonly QueuedHint[],
): Promise<void> {
  if (hints.length === 0) return;
  const refused = await refusedOf(deps.hints, hints);
  for (const one of refused) noteRefused(deps.telemetry, one);
}

/** The job is stored and overdue in 30 s: the sweeper sends the hint, so accepting it is still true. */
export function noteRefused(
  telemetry: Telemetry,
  { hint, error }: Pick<RefusedHint, 'hint' | 'error'>,
): void {
  const { jobId, tenantId } = hint;
  const message = 'the queue refused the hint: the sweeper will send it';
  telemetry.log('error', message, { jobId, tenantId, traceId: traceIdOf(hint), error });
  telemetry.count('EnqueueFailed');
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
