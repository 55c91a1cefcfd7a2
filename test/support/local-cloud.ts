import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** What the local cloud tells of itself in `local.json`. */
export interface LocalCloudState {
  readonly apiUrl: string;
  readonly controlUrl: string;
  readonly region: string;
  readonly keys: Readonly<Record<'acme' | 'globex' | 'ops', string>>;
  readonly endpoints: { readonly dynamodb: string; readonly sqs: string; readonly s3: string };
  readonly outputs: Readonly<Record<string, string>>;
}

export interface LocalCloudProcess extends LocalCloudState {
  /** What the functions logged so far. */
  functionLog(): Promise<string>;
  stop(): Promise<void>;
}

/** A first synthesis beside a busy machine included. */
const START_LIMIT_MS = 120_000;
const STOP_LIMIT_MS = 10_000;

/** Starts a local cloud of its own in a child process, with the agents of `agents.ts` beside this file. */
export async function startLocalCloudProcess(
  context: readonly string[] = [],
): Promise<LocalCloudProcess> {
  const stateDirectory = await mkdtemp(join(tmpdir(), 'longhaul-e2e-'));
  const args = ['agentsEntry=test/support/agents.ts', ...context].flatMap((pair) => ['-c', pair]);
  const child = spawn(
    process.execPath,
    ['local/main.ts', '--port', '0', '--state-dir', stateDirectory, ...args],
    {
      cwd: fileURLToPath(new URL('../..', import.meta.url)),
      env: withoutJest(process.env),
      // The channel tells the cloud when the tests are gone, however they ended.
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    },
  );
  const output = collect(child);
  const stop = async (): Promise<void> => {
    await stopChild(child);
    await rm(stateDirectory, { recursive: true, force: true });
  };
  try {
    const state = await stateOf(child, join(stateDirectory, 'local.json'));
    const functionLog = () => readFile(join(stateDirectory, 'functions.log'), 'utf8');
    return { ...state, functionLog, stop };
  } catch (error) {
    await stop();
    throw new Error(`the local cloud did not start:\n${output()}`, { cause: error });
  }
}

/** Jest's Node options are for its own modules. */
function withoutJest({ NODE_OPTIONS: _options, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return env;
}

function collect(child: ChildProcess): () => string {
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk.toString()));
  }
  return () => chunks.join('').split('\n').slice(-30).join('\n');
}

/** The file appears when everything is up. */
async function stateOf(child: ChildProcess, path: string): Promise<LocalCloudState> {
  const deadline = Date.now() + START_LIMIT_MS;
  while (child.exitCode === null && child.signalCode === null && Date.now() < deadline) {
    const text = await readFile(path, 'utf8').catch(() => undefined);
    if (text !== undefined) return JSON.parse(text) as LocalCloudState;
    await delay(50);
  }
  throw new Error(`no local.json within ${START_LIMIT_MS / 1000} s`);
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const impatience = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
  await exited;
  clearTimeout(impatience);
}
