import type { WebhookSecret, WebhookSecretStore } from '../../core/ports/webhook-secret-store.ts';

export interface SecretDeps {
  readonly secrets: WebhookSecretStore;
  /** `whsec_` and at least 24 random bytes. */
  readonly newSecret: () => string;
  readonly now: () => number;
}

/** The secrets that sign now, newest first. The first one of a tenant is made when it is first asked for. */
export async function signingSecrets(
  deps: SecretDeps,
  tenantId: string,
): Promise<readonly WebhookSecret[]> {
  for (;;) {
    const found = await deps.secrets.list(tenantId);
    if (found.length > 0) return found.filter((secret) => signs(secret, deps.now()));
    const first = [{ secret: deps.newSecret(), createdAt: deps.now() }];
    if (await deps.secrets.replace(tenantId, first, found)) return first;
  }
}

/** Makes a new secret; those before it sign for a while, so that receivers can change over one after the other. */
export async function rotateSecret(
  deps: SecretDeps,
  tenantId: string,
  overlapMs: number,
): Promise<readonly WebhookSecret[]> {
  for (;;) {
    const found = await deps.secrets.list(tenantId);
    const now = deps.now();
    const until = now + overlapMs;
    const older = found
      .map((secret) => ({ ...secret, signsUntil: Math.min(secret.signsUntil ?? until, until) }))
      .filter((secret) => signs(secret, now));
    const next = [{ secret: deps.newSecret(), createdAt: now }, ...older];
    if (await deps.secrets.replace(tenantId, next, found)) return next;
  }
}

function signs({ signsUntil }: WebhookSecret, now: number): boolean {
  return signsUntil === undefined || signsUntil > now;
}
