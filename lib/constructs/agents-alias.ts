import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { ConfigError } from '../config-error.ts';
import { packageRoot } from './package-root.ts';

/**
 * esbuild arguments that put the user's agents in the place of `#agents`. `longhaul/agent`, which agents import, is
 * bundled from the same sources that the handlers use: a second copy of its classes would not be `instanceof` the first.
 * @throws ConfigError when there is no such file.
 */
export function agentsAlias(agentsEntry: string): Record<string, string> {
  const file = resolve(agentsEntry);
  if (!existsSync(file)) {
    throw new ConfigError([
      `agentsEntry must be the path of a file that exports registry, got ${JSON.stringify(agentsEntry)}, which is not there`,
    ]);
  }
  return {
    '--alias:#agents': file,
    '--alias:longhaul/agent': resolve(packageRoot(), 'src/agent/index.ts'),
  };
}
