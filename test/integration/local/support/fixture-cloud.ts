import { jest } from '@jest/globals';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startLocalCloud, type LocalCloud } from '../../../../local/cloud.ts';
import { writeAssembly, type FixtureTemplate } from './fixture-app.ts';

// A busy machine needs longer than the five seconds of jest to start processes.
jest.setTimeout(60_000);

export interface FixtureCloud extends LocalCloud {
  readonly stateDirectory: string;
  /** A control route; the answer's body. */
  control(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
}

/** Starts a local cloud of the template in directories of its own. */
export async function startFixture(template: FixtureTemplate): Promise<FixtureCloud> {
  const [assembly, stateDirectory] = await Promise.all([
    writeAssembly(template),
    mkdtemp(join(tmpdir(), 'longhaul-state-')),
  ]);
  const cloud = await startLocalCloud({ assembly, stateDirectory });
  return {
    ...cloud,
    stateDirectory,
    control: async (method, path, body) => {
      const response = await fetch(`${cloud.controlUrl}${path}`, {
        method,
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      return (await response.json()) as Record<string, unknown>;
    },
    stop: async () => {
      await cloud.stop();
      await Promise.all(
        [assembly, stateDirectory].map((path) => rm(path, { recursive: true, force: true })),
      );
    },
  };
}
