import type { RefundRequest } from './letters.ts';

/**
 * Pays money back. A step can run again when its worker dies before its outcome is recorded: whoever pays must answer a
 * key that it has seen before with the refund of the first time, as payment providers do.
 */
export type IssueRefund = (
  request: RefundRequest,
  options: { readonly idempotencyKey: string; readonly signal: AbortSignal },
) => Promise<{ readonly refundId: string }>;

/** Stands in for a payment provider: pays nobody, and gives each key the same refund id for ever. */
export const pretendRefund: IssueRefund = (_request, { idempotencyKey }) =>
  Promise.resolve({ refundId: `refund_${idempotencyKey}` });
