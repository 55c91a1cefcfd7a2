import { AppError } from '../../errors.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { LIMITS } from '../policy/limits.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import { sizeBytes } from './json-value.ts';
import type { RunState } from './run-state.ts';

/**
 * Keeps JSON text inline, or in the payload store when it is over the inline limit.
 * @throws AppError `payload_too_large` naming size and limit.
 */
export async function storePayload(
  payloads: PayloadStore,
  json: string,
  key: () => string,
): Promise<StoredValue> {
  const bytes = checkPayloadSize(json);
  if (bytes <= LIMITS.inlineBytes) return { kind: 'inline', json };
  return { kind: 's3', ...(await payloads.put(key(), json)) };
}

export function checkPayloadSize(json: string): number {
  const bytes = sizeBytes(json);
  if (bytes > LIMITS.payloadBytes) {
    throw new AppError(
      `the value is ${bytes} bytes of JSON: the limit is ${LIMITS.payloadBytes}; keep it in a store of your own and return a reference`,
      { code: 'payload_too_large', details: { sizeBytes: bytes, limitBytes: LIMITS.payloadBytes } },
    );
  }
  return bytes;
}

/** Where a payload lies, for the logs: never what it says. */
export interface PayloadReference {
  readonly kind: StoredValue['kind'];
  readonly key?: string;
  readonly sizeBytes: number;
}

export function referenceOf(value: StoredValue): PayloadReference {
  if (value.kind === 's3') return { kind: value.kind, key: value.key, sizeBytes: value.sizeBytes };
  const bytes = value.kind === 'inline' ? sizeBytes(value.json) : value.sizeBytes;
  return { kind: value.kind, sizeBytes: bytes };
}

/** JSON text of a recorded value. A payload that cannot be read is no fault of the agent: the run ends and another attempt tries. */
export async function readStored(run: RunState, value: StoredValue): Promise<string> {
  if (value.kind === 'inline') return value.json;
  const cached = run.payloadCache.get(value);
  if (cached !== undefined) return cached;
  if (value.kind === 'item')
    throw new Error('a value in the journal is never in an item of its own');
  return run.activity.run(() => run.guard(run.deps.payloads.get(value)));
}
