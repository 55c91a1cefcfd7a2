import type { Clock } from '../../src/core/ports/clock.ts';
import type { UsageStore } from '../../src/core/ports/usage-store.ts';
import { monthOf } from '../../src/core/tenants/record-usage.ts';
import { type UsageRepresentation, usageQuerySchema } from '../../src/protocol/usage.ts';
import { callerOf, requireScope } from './caller.ts';
import { checkedQuery } from './checked-query.ts';
import type { Serve } from './http-handler.ts';
import { routeOf } from './route-of.ts';

export interface UsageRouteDeps {
  readonly usage: Pick<UsageStore, 'read'>;
  readonly clock: Pick<Clock, 'now'>;
}

/** `GET /usage` */
export function usageRoute({ usage, clock }: UsageRouteDeps): Serve {
  return async ({ event, note }) => {
    const caller = callerOf(event);
    note({ tenantId: caller.tenantId });
    requireScope(caller, routeOf('getUsage'));
    const { month = monthOf(clock.now()) } = checkedQuery(usageQuerySchema, event);
    const body: UsageRepresentation = { month, ...(await usage.read(caller.tenantId, month)) };
    return { status: 200, body };
  };
}
