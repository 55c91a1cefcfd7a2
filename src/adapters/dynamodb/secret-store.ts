import type { SecretStore } from '../../core/ports/secret-store.ts';
import { AppError } from '../../errors.ts';
import { attempt } from './attempt.ts';
import { secretKey } from './keys.ts';
import { type Table, getItem, ifFree, putItem } from './table.ts';

/** Secrets in items of their own, without an expiry. */
export function dynamoSecretStore(table: Table): SecretStore {
  return {
    obtain: async (name, fresh) => {
      const known = await find(table, name);
      if (known !== undefined) return known;
      const put = await attempt(
        putItem(table, { ...secretKey(name), secret: fresh }, ifFree(table)),
      );
      if (put.applied) return fresh;
      const other = await find(table, name);
      if (other !== undefined) return other;
      throw new AppError(`the secret ${name} was deleted while it was read: try again`, {
        code: 'unavailable',
        retryable: true,
      });
    },
  };
}

async function find(table: Table, name: string): Promise<string | undefined> {
  const item = await getItem(table, secretKey(name));
  return item?.secret as string | undefined;
}
