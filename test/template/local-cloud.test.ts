import { expect, it, jest } from '@jest/globals';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import type { LonghaulConfigInput } from '../../lib/config.ts';
import { LonghaulStack } from '../../lib/longhaul-stack.ts';
import { deploy } from '../../local/template/deployment.ts';
import { readAssembly } from '../../local/template/read-assembly.ts';
import { ALL_OPTIONS } from './all-options.ts';
import { WITHOUT_BUNDLING } from './synthesize.ts';

// A busy machine needs longer than the five seconds of jest for the first synth.
jest.setTimeout(60_000);

const ADDRESSES = { gateway: 'http://127.0.0.1:1', queues: 'http://127.0.0.1:2' };

it.each<{ name: string; config: LonghaulConfigInput }>([
  { name: 'production', config: {} },
  { name: 'development', config: { environment: 'development' } },
  { name: 'production with every option', config: ALL_OPTIONS },
])('the local cloud plays all that is in the template of $name', async ({ config }) => {
  const outdir = mkdtempSync(join(tmpdir(), 'longhaul-assembly-'));
  try {
    const app = new App({ outdir, context: { ...WITHOUT_BUNDLING } });
    new LonghaulStack(app, 'Longhaul', { agentsEntry: 'agents/index.ts', config });
    app.synth();
    const deployment = deploy(await readAssembly(outdir), ADDRESSES);
    expect(Object.keys(deployment.outputs)).toContain('ApiUrl');
  } finally {
    rmSync(outdir, { recursive: true });
  }
});
