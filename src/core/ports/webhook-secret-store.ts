/** A secret that a tenant's webhooks are signed with. */
export interface WebhookSecret {
  /** `whsec_` and base64. */
  readonly secret: string;
  readonly createdAt: number;
  /** After a rotation: until when the old one still signs. */
  readonly signsUntil?: number;
}

/** The secrets of a tenant, newest first. They are kept as they are: whoever signs needs them. */
export interface WebhookSecretStore {
  /** Empty until the first one is made. */
  list(tenantId: string): Promise<readonly WebhookSecret[]>;
  /** Replaces them if they are as they were `seen`. */
  replace(
    tenantId: string,
    next: readonly WebhookSecret[],
    seen: readonly WebhookSecret[],
  ): Promise<boolean>;
}
