import type { KeyUse, RunOnce } from '../../src/adapters/idempotency/powertools-run-once.ts';
import { RequestRefused } from './request-refused.ts';

/**
 * Does what a request asks for once for each idempotency key; what `work` throws is not remembered.
 * @throws RequestRefused `idempotency_key_reused`, `idempotency_in_progress`
 */
export async function runWithKey<Value extends object>(
  runOnce: RunOnce,
  use: KeyUse,
  work: () => Promise<Value>,
): Promise<{ value: Value; replayed: boolean }> {
  const run = await runOnce(use, work);
  if (run.outcome === 'other_payload') throw keyReused();
  if (run.outcome === 'in_progress') throw inProgress();
  return { value: run.value, replayed: run.outcome === 'replayed' };
}

export function keyReused(): RequestRefused {
  return new RequestRefused(
    'idempotency_key_reused',
    'this Idempotency-Key belongs to another request: send a new key, or the same request as before',
  );
}

function inProgress(): RequestRefused {
  return new RequestRefused(
    'idempotency_in_progress',
    'the first request with this Idempotency-Key has not been answered yet: send it again shortly',
    { headers: { 'retry-after': '1' } },
  );
}
