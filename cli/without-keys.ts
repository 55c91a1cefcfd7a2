import type { Terminal } from './terminal.ts';

/** A text for the screen and for logs, in which no credential stands that the command was given. */
export function withoutKeys(text: string, args: readonly string[], { env }: Terminal): string {
  const given = [
    env.LONGHAUL_KEY,
    ...args.flatMap((arg, index) => valueOfKey(arg, args[index + 1])),
  ];
  const secrets = given.filter((secret) => secret !== undefined && secret.trim().length > 8);
  return secrets
    .reduce((shown: string, secret) => shown.replaceAll(secret?.trim() ?? '', '<key>'), text)
    .replace(/lh_[\w-]{9,}/g, '<key>');
}

function valueOfKey(arg: string, next: string | undefined): string[] {
  if (arg.startsWith('--key=')) return [arg.slice('--key='.length)];
  return arg === '--key' && next !== undefined ? [next] : [];
}
