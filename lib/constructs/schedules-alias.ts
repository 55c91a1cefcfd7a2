import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stage } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import type { ConfiguredSchedule } from '../configured-schedules.ts';

/** esbuild arguments that put the schedules of the configuration in the place of `#schedules`, which has none. */
export function schedulesAlias(
  scope: Construct,
  schedules: readonly ConfiguredSchedule[],
): Record<string, string> {
  if (schedules.length === 0) return {};
  const source = `export const configured = ${JSON.stringify(schedules)};\n`;
  const hash = createHash('sha256').update(source).digest('hex').slice(0, 16);
  const directory = Stage.of(scope)?.outdir ?? 'cdk.out';
  mkdirSync(directory, { recursive: true });
  const file = join(directory, `longhaul-schedules-${hash}.js`);
  writeFileSync(file, source);
  return { '--alias:#schedules': file };
}
