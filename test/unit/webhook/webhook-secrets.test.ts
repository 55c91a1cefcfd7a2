import { beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { memoryWebhookSecretStore } from '../../../src/adapters/memory/webhook-secret-store.ts';
import { cachedSecrets } from '../../../src/adapters/webhook/cached-secrets.ts';
import { newWebhookSecret } from '../../../src/adapters/webhook/new-secret.ts';
import { signatureHeaders } from '../../../src/adapters/webhook/sign.ts';
import {
  rotateSecret,
  type SecretDeps,
  signingSecrets,
} from '../../../src/adapters/webhook/webhook-secrets.ts';

const HOUR_MS = 3_600_000;

describe('a secret that is rotated', () => {
  let now: number;
  let deps: SecretDeps;

  beforeEach(() => {
    // Receivers go by the clock of the machine.
    now = Date.now();
    deps = {
      secrets: memoryWebhookSecretStore(),
      newSecret: newWebhookSecret,
      now: () => now,
    };
  });

  const texts = async () => (await signingSecrets(deps, 'acme')).map(({ secret }) => secret);

  /** Whether a receiver that has only this secret takes what is signed now. */
  async function verifies(secret: string): Promise<boolean> {
    const content = { id: 'msg_1', timestamp: Math.floor(Date.now() / 1_000), body: '{"n":1}' };
    try {
      new Webhook(secret).verify(content.body, signatureHeaders(content, await texts()));
      return true;
    } catch {
      return false;
    }
  }

  it('signs beside the new one for the overlap, and not a moment longer', async () => {
    const [first = ''] = await texts();
    await rotateSecret(deps, 'acme', HOUR_MS);
    const [second = ''] = await texts();
    expect([await verifies(first), await verifies(second)]).toEqual([true, true]);

    now += HOUR_MS;
    expect([await verifies(first), await verifies(second)]).toEqual([false, true]);
  });

  it('has its end brought forward by another rotation, and never put off', async () => {
    const [first = ''] = await texts();
    await rotateSecret(deps, 'acme', HOUR_MS);
    await rotateSecret(deps, 'acme', 24 * HOUR_MS);
    now += HOUR_MS;
    expect(await verifies(first)).toBe(false);

    await rotateSecret(deps, 'acme', 0);
    expect(await texts()).toHaveLength(1);
  });

  it('is that of its tenant: no other tenant has it, and no rotation ends it', async () => {
    const [first] = await texts();
    await rotateSecret(deps, 'globex', 0);
    expect(await texts()).toEqual([first]);
    expect((await signingSecrets(deps, 'globex')).map(({ secret }) => secret)).not.toContain(first);
  });

  it('goes out of memory within a minute', async () => {
    const secretsOf = cachedSecrets(deps);
    const before = await secretsOf('acme');
    await rotateSecret(deps, 'acme', 0);
    expect(await secretsOf('acme')).toEqual(before);
    now += 60_000;
    expect(await secretsOf('acme')).toEqual(await texts());
  });
});
