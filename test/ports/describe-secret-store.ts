import { describe, expect, it } from '@jest/globals';
import type { SecretStore } from '../../src/core/ports/secret-store.ts';

/** What every store of secrets does. */
export function describeSecretStore(name: string, make: () => Promise<SecretStore>): void {
  describe(`secret store: ${name}`, () => {
    it('keeps the first secret of a name and answers it to everybody', async () => {
      const secrets = await make();
      expect(await secrets.obtain('cursor', 'first')).toBe('first');
      expect(await secrets.obtain('cursor', 'second')).toBe('first');
    });

    it('gives all that ask at once the same one', async () => {
      const secrets = await make();
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) => secrets.obtain('cursor', `fresh-${index}`)),
      );
      expect(new Set(answers).size).toBe(1);
    });

    it('keeps names apart', async () => {
      const secrets = await make();
      await secrets.obtain('a', '1');
      expect(await secrets.obtain('b', '2')).toBe('2');
    });
  });
}
