import { checkUrl } from '../../src/adapters/webhook/check-url.ts';
import type { JobNotify } from '../../src/core/notify/job-notify.ts';
import type { Notify } from '../../src/protocol/notify.ts';
import { faultyRequest } from './faults.ts';

/** Which addresses webhooks may be sent to. */
export interface WebhookRules {
  readonly allowLoopback: boolean;
}

/**
 * Where a caller wants to be told of a job. What its name resolves to is checked when something is sent.
 * @throws RequestRefused `invalid_request` for a URL that nothing would ever be sent to
 */
export function checkedNotify({ url, events }: Notify, rules: WebhookRules): JobNotify {
  const check = checkUrl(url, rules);
  if (!check.allowed) {
    throw faultyRequest('invalid_request', [{ path: ['notify', 'url'], message: check.reason }]);
  }
  return { url, ...(events === undefined ? {} : { events }) };
}
