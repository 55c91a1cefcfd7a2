/** One try of a webhook. */
export interface WebhookRequest {
  readonly url: string;
  /** The `webhook-id`. */
  readonly id: string;
  /** Epoch milliseconds of this try: the `webhook-timestamp`. */
  readonly at: number;
  /** JSON text. */
  readonly body: string;
  /** `whsec_…`; with several, each signs. */
  readonly secrets: readonly string[];
  /** Header of that name: the span of this try. */
  readonly traceparent?: string;
}

/** What came of one try. */
export type WebhookAnswer =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** What the receiver's `Retry-After` asks for. */
      readonly retryAfterMs?: number;
    }
  /** Refused before it was sent, not reached, or not answered in time. */
  | { readonly kind: 'failed'; readonly error: string };

/** Sends signed webhooks to addresses that the public may be sent to. Never throws. */
export interface WebhookSender {
  send(request: WebhookRequest): Promise<WebhookAnswer>;
}
