import { addUsage, NO_USAGE, type Usage, type UsageStore } from '../../core/ports/usage-store.ts';
import { answer } from './answer.ts';

export function memoryUsageStore(): UsageStore {
  const usages = new Map<string, Usage>();
  const of = (tenantId: string, month: string) => usages.get(`${tenantId} ${month}`) ?? NO_USAGE;
  return {
    add: (tenantId, month, usage) =>
      answer(() => {
        usages.set(`${tenantId} ${month}`, addUsage(of(tenantId, month), usage));
      }),
    read: (tenantId, month) => answer(() => of(tenantId, month)),
  };
}
