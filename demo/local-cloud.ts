import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { LonghaulClient } from '../client/index.ts';

export interface LocalCloud {
  /** Base URL of the API, stage included. */
  readonly apiUrl: string;
  /** Base URL of the routes by which tests break the local cloud. */
  readonly controlUrl: string;
  /** As the tenant `acme`. */
  readonly client: LonghaulClient;
  stop(): Promise<void>;
}

/** What the local cloud tells of itself. */
interface CloudState {
  readonly apiUrl: string;
  readonly controlUrl: string;
  readonly keys: { readonly acme: string };
}

const START_LIMIT_MS = 60_000;
const STOP_LIMIT_MS = 10_000;

/** Starts a local cloud of the demo's own, on free ports and with a state of its own, as `npm start` would. */
export async function startLocalCloud(): Promise<LocalCloud> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'longhaul-demo-'));
  const child = spawn(
    process.execPath,
    ['local/main.ts', '--port', '0', '--state-dir', stateDirectory],
    {
      cwd: fileURLToPath(new URL('..', import.meta.url)),
      // The channel tells the cloud when the demo is gone, however it ended.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const output = collect(child);
  const stop = async () => {
    await stopChild(child);
    await rm(stateDirectory, { recursive: true, force: true });
  };
  try {
    const state = await stateOf(child, join(stateDirectory, 'local.json'));
    const { apiUrl, controlUrl, keys } = state;
    const client = new LonghaulClient({ baseUrl: apiUrl, apiKey: keys.acme });
    return { apiUrl, controlUrl, client, stop };
  } catch (error) {
    await stop();
    throw new Error(`the local cloud did not start:\n${output()}`, { cause: error });
  }
}

function collect(child: ChildProcess): () => string {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => lines.push(chunk.toString()));
  }
  return () => lines.join('').split('\n').slice(-30).join('\n');
}

/** The file appears when everything is up. */
async function stateOf(child: ChildProcess, path: string): Promise<CloudState> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as CloudState;
    await delay(50);
  }
  throw new Error(`no ${path} after ${START_LIMIT_MS / 1000} s`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(impatience);
}
