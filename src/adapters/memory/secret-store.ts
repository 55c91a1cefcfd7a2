import type { SecretStore } from '../../core/ports/secret-store.ts';
import { answer } from './answer.ts';

export function memorySecretStore(): SecretStore {
  const secrets = new Map<string, string>();
  return {
    obtain: (name, fresh) =>
      answer(() => {
        const secret = secrets.get(name) ?? fresh;
        secrets.set(name, secret);
        return secret;
      }),
  };
}
