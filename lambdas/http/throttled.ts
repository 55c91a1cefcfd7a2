import {
  RequestThrottle,
  THROTTLE_WINDOW_MS,
  type ThrottleDeps,
} from '../../src/core/tenants/request-throttle.ts';
import { findCaller } from './caller.ts';
import type { HttpRequest } from './http-handler.ts';
import { headerValues } from './request.ts';
import { RequestRefused } from './request-refused.ts';

/** Serves a request unless its tenant has sent too many; open routes are for everybody. */
export function throttled<Answer>(
  deps: ThrottleDeps,
  serve: (request: HttpRequest) => Promise<Answer> | Answer,
): (request: HttpRequest) => Promise<Answer> {
  const throttle = new RequestThrottle(deps);
  return async (request) => {
    const caller = findCaller(request.event);
    if (caller !== undefined) {
      const { tenantId, rules } = caller;
      const { requestsPerSecond } = rules;
      const isHeld = headerValues(request.event, 'prefer').some((value) => value.includes('wait'));
      const retryAfter = await throttle.retryAfter({ tenantId, requestsPerSecond, isHeld });
      if (retryAfter !== undefined) {
        request.note({ tenantId });
        throw tooMany(requestsPerSecond, retryAfter);
      }
    }
    return serve(request);
  };
}

function tooMany(requestsPerSecond: number, retryAfter: number): RequestRefused {
  const seconds = THROTTLE_WINDOW_MS / 1_000;
  return new RequestRefused(
    'throttled',
    `this tenant may send ${requestsPerSecond} requests a second, ${requestsPerSecond * seconds} in ${seconds} s: try again in ${retryAfter} s`,
    { headers: { 'retry-after': String(retryAfter) } },
  );
}
