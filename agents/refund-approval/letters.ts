export interface RefundRequest {
  readonly orderId: string;
  readonly customer: string;
  readonly amountCents: number;
  readonly currency: string;
  readonly reason: string;
}

/** What the approver reads, and what the customer gets when the refund is approved. */
export interface Draft {
  readonly summary: string;
  readonly letter: string;
}

export function draftRefund(request: RefundRequest): Draft {
  const amount = formatAmount(request);
  return {
    summary: `${request.customer} asks for ${amount} back for order ${request.orderId}: ${request.reason}`,
    letter:
      `Dear ${request.customer},\n\nwe are sorry about order ${request.orderId} (${request.reason}). ` +
      `${amount} are on their way back to the account you paid from.\n`,
  };
}

export function rejectionLetter(request: RefundRequest, note: string | undefined): string {
  const because = note === undefined ? '' : ` ${note}`;
  return (
    `Dear ${request.customer},\n\nwe looked at your request about order ${request.orderId} ` +
    `and cannot refund it.${because}\n`
  );
}

/** Not by the locale of the machine: a replay elsewhere must read the same. */
function formatAmount({ amountCents, currency }: RefundRequest): string {
  const cents = String(amountCents % 100).padStart(2, '0');
  return `${Math.floor(amountCents / 100)}.${cents} ${currency}`;
}
