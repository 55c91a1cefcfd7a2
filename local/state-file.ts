import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Endpoints } from './emulators/clients.ts';

/** What a running local cloud tells others about itself, in `local.json` of its state directory. */
export interface CloudState {
  readonly pid: number;
  /** Base URL of the API, stage included. */
  readonly apiUrl: string;
  /** Base URL of the control routes. */
  readonly controlUrl: string;
  readonly endpoints: Endpoints;
  readonly region: string;
  readonly keys: Readonly<Record<string, string>>;
  /** Stack outputs by name. */
  readonly outputs: Readonly<Record<string, string>>;
  /** Physical names by logical id. */
  readonly tables: Readonly<Record<string, string>>;
  readonly queues: Readonly<Record<string, string>>;
  readonly queueUrls: Readonly<Record<string, string>>;
  readonly buckets: Readonly<Record<string, string>>;
}

const pathIn = (stateDirectory: string) => join(stateDirectory, 'local.json');

/** Written whole or not at all: a reader that waits for the file never sees half of it. */
export async function writeState(stateDirectory: string, state: CloudState): Promise<void> {
  const path = pathIn(stateDirectory);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${JSON.stringify(state, null, 2)}\n`, { mode: 0o600 });
  await rename(draft, path);
}

/**
 * Two clouds in one directory would load each other's functions.
 * @throws Error naming the process that uses the directory
 */
export async function refuseSharedState(stateDirectory: string): Promise<void> {
  const holder = await readState(stateDirectory);
  if (holder === undefined || !(await answers(holder))) return;
  throw new Error(
    `${stateDirectory} is in use by the local cloud of process ${holder.pid}: stop it, or give another --state-dir`,
  );
}

async function readState(stateDirectory: string): Promise<CloudState | undefined> {
  try {
    return JSON.parse(await readFile(pathIn(stateDirectory), 'utf8')) as CloudState;
  } catch {
    return undefined;
  }
}

/** A file may be left of a cloud that was killed, whose process id another process has by now. */
async function answers({ controlUrl }: CloudState): Promise<boolean> {
  try {
    const url = `${controlUrl}/environments`;
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).ok;
  } catch {
    return false;
  }
}

export async function removeState(stateDirectory: string): Promise<void> {
  await rm(pathIn(stateDirectory), { force: true });
}
