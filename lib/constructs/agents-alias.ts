import { resolve } from 'node:path';
import { packageRoot } from './package-root.ts';

/**
 * esbuild arguments that put the user's agents in the place of `#agents`. `longhaul/agent`, which agents import, is
 * bundled from the same sources that the handlers use: a second copy of its classes would not be `instanceof` the first.
 */
export function agentsAlias(agentsEntry: string): Record<string, string> {
  return {
    '--alias:#agents': resolve(agentsEntry),
    '--alias:longhaul/agent': resolve(packageRoot(), 'src/agent/index.ts'),
  };
}
