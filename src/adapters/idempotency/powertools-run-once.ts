import { IdempotencyConfig, makeIdempotent } from '@aws-lambda-powertools/idempotency';
import { DynamoDBPersistenceLayer } from '@aws-lambda-powertools/idempotency/dynamodb';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Context } from 'aws-lambda';
import { IDEMPOTENCY_KEY_PREFIX } from '../../settings/names.ts';

/** One use of a key: `fingerprint` tells whether a second use asks for the same. */
export interface KeyUse {
  readonly tenantId: string;
  readonly key: string;
  readonly fingerprint: string;
  /** How long the key is remembered. */
  readonly lifetimeSeconds: number;
  readonly remainingMs: number;
}

export type RunOnceResult<Value> =
  | { readonly outcome: 'ran'; readonly value: Value }
  | { readonly outcome: 'replayed'; readonly value: Value }
  | { readonly outcome: 'in_progress' }
  | { readonly outcome: 'other_payload' };

/** Runs `work` unless a finished run under the same key is remembered; what `work` throws is not. */
export type RunOnce = <Value extends object>(
  use: KeyUse,
  work: () => Promise<Value>,
) => Promise<RunOnceResult<Value>>;

/**
 * Longest time a key stays locked after a crash. Powertools locks it for as long as the invocation may run; what is
 * inside must therefore be harmless when run twice, and is (the job id is derived from the key).
 */
const LOCK_MS = 5_000;

export function powertoolsRunOnce(options: {
  readonly client: DynamoDBClient;
  readonly tableName: string;
}): RunOnce {
  // A persistence layer keeps the lifetime it saw first, so there is one per lifetime; agents share few.
  const layers = new Map<number, DynamoDBPersistenceLayer>();
  const layerFor = (lifetimeSeconds: number): DynamoDBPersistenceLayer => {
    const layer =
      layers.get(lifetimeSeconds) ??
      new DynamoDBPersistenceLayer({
        tableName: options.tableName,
        awsSdkV3Client: options.client,
      });
    layers.set(lifetimeSeconds, layer);
    return layer;
  };

  return async <Value extends object>(use: KeyUse, work: () => Promise<Value>) => {
    let own: Value | undefined;
    const run = makeIdempotent(
      async (_use: object) => {
        own = await work();
        return own;
      },
      {
        persistenceStore: layerFor(use.lifetimeSeconds),
        config: configFor(use),
        keyPrefix: IDEMPOTENCY_KEY_PREFIX,
      },
    );
    const { tenantId, key, fingerprint } = use;
    try {
      const value = (await run({ tenantId, key, fingerprint })) as Value;
      return { outcome: own === undefined ? 'replayed' : 'ran', value };
    } catch (error) {
      // The work is done, only the note of it failed: what it returned stays true, and another run finds it done.
      if (own !== undefined) return { outcome: 'ran', value: own };
      return refusal(error);
    }
  };
}

function configFor({ lifetimeSeconds, remainingMs }: KeyUse): IdempotencyConfig {
  const config = new IdempotencyConfig({
    eventKeyJmesPath: '[tenantId, key]',
    payloadValidationJmesPath: 'fingerprint',
    hashFunction: 'sha256',
    expiresAfterSeconds: lifetimeSeconds,
  });
  const lockMs = Math.min(remainingMs, LOCK_MS);
  config.registerLambdaContext({ getRemainingTimeInMillis: () => lockMs } as Context);
  return config;
}

/** By name: an error that crossed a bundle or a realm is an instance of nothing we could import. */
function refusal(error: unknown): { outcome: 'in_progress' } | { outcome: 'other_payload' } {
  switch ((error as { name?: unknown } | null)?.name) {
    case 'IdempotencyAlreadyInProgressError':
      return { outcome: 'in_progress' };
    case 'IdempotencyInconsistentStateError':
      // The record expired between its refusal and its reading: the next request makes it anew.
      return { outcome: 'in_progress' };
    case 'IdempotencyValidationError':
      return { outcome: 'other_payload' };
    default:
      throw error;
  }
}
