import { UsageError } from './usage-error.ts';

const TENANT = /^[a-z0-9-]{1,64}$/;

export function tenantOf(text: string | undefined): string {
  const hint = 'a tenant id is 1 to 64 characters of a-z, 0-9 and -';
  if (text === undefined) throw new UsageError(`--tenant is missing: ${hint}`);
  if (TENANT.test(text)) return text;
  throw new UsageError(`--tenant is ${JSON.stringify(text)}: ${hint}`);
}
