import { UsageError } from './usage-error.ts';

const TENANT = /^[a-z0-9-]{1,64}$/;

/** A tenant id; `named` is how the usage calls it. */
export function tenantOf(named: string, text: string | undefined): string {
  const hint = 'a tenant id is 1 to 64 characters of a-z, 0-9 and -';
  if (text === undefined) throw new UsageError(`${named} is missing: ${hint}`);
  if (TENANT.test(text)) return text;
  throw new UsageError(`${named} is ${JSON.stringify(text)}: ${hint}`);
}
