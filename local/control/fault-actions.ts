import type { Refusal } from '../lambda/call-ledger.ts';
import type { FunctionPool } from '../lambda/function-pool.ts';
import { ControlError, type ControlRequest, text, whole } from './control-request.ts';
import { poolNamed, poolsNamed } from './find-pools.ts';

const SERVICES = ['dynamodb', 'sqs', 's3', 'events', 'scheduler'];

type Action = (
  controlled: { readonly pools: readonly FunctionPool[] },
  request: ControlRequest,
) => unknown;

/** Faults that do not end an environment: services that are busy, and functions that may not start. */
export const FAULT_ACTIONS: Readonly<Record<string, Action>> = {
  'POST /refusals': ({ pools }, { body }) => {
    const pool = poolNamed(pools, text(body, 'function'));
    const service = text(body, 'service');
    if (!SERVICES.includes(service)) {
      const known = SERVICES.join(', ');
      throw new ControlError(400, `no service ${JSON.stringify(service)}; known: ${known}`);
    }
    const refusal: Refusal = {
      service,
      ...(body['operation'] !== undefined && { operation: text(body, 'operation') }),
      times: whole(body, 'times', 1),
    };
    pool.ledger.refuse(refusal);
    return { function: pool.config.logicalId, ...refusal };
  },
  'DELETE /refusals': ({ pools }, { query }) => {
    const chosen = query.has('function') ? poolsNamed(pools, query.get('function') ?? '') : pools;
    chosen.forEach(({ ledger }) => {
      ledger.refuseNoMore();
    });
    return { ended: chosen.map(({ config }) => config.logicalId) };
  },
  /** As PutFunctionConcurrency does; `null` goes back to what the template says. */
  'POST /functions/concurrency': ({ pools }, { body }) => {
    const pool = poolNamed(pools, text(body, 'function'));
    const reserved = body['reserved'] === null ? undefined : whole(body, 'reserved', 0);
    pool.reservedConcurrency = reserved;
    return { function: pool.config.logicalId, reserved: reserved ?? null };
  },
};
