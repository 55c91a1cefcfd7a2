import { type SecretDeps, signingSecrets } from './webhook-secrets.ts';

const TTL_MS = 60_000;
const MAX_ENTRIES = 2_000;

/**
 * The secrets of tenants out of memory: one read a minute for each. After a rotation some webhooks are signed by the old secret
 * alone for a minute, which receivers still have then.
 */
export function cachedSecrets(deps: SecretDeps): (tenantId: string) => Promise<readonly string[]> {
  const entries = new Map<string, { found: Promise<readonly string[]>; until: number }>();
  return (tenantId) => {
    const now = deps.now();
    const known = entries.get(tenantId);
    if (known !== undefined && now < known.until) return known.found;
    const found = signingSecrets(deps, tenantId).then((all) => all.map(({ secret }) => secret));
    entries.delete(tenantId);
    entries.set(tenantId, { found, until: now + TTL_MS });
    const [oldest] = entries.keys();
    if (entries.size > MAX_ENTRIES && oldest !== undefined) entries.delete(oldest);
    found.catch(() => entries.delete(tenantId));
    return found;
  };
}
