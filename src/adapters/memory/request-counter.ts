import type { RequestCounter } from '../../core/ports/request-counter.ts';
import { answer } from './answer.ts';

export function memoryRequestCounter(): RequestCounter {
  const counts = new Map<string, number>();
  return {
    add: (tenantId, { startsAt }, requests) =>
      answer(() => {
        const key = `${tenantId} ${startsAt}`;
        const total = (counts.get(key) ?? 0) + requests;
        counts.set(key, total);
        return total;
      }),
  };
}
