import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { openSync } from 'node:fs';
import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { signalGroup, startGroup } from './process-group.ts';
import { runProgram } from './run-program.ts';

/** The account's root, whose key id MiniStack takes for the account id when it has 12 digits. */
export const ROOT = {
  AWS_ACCESS_KEY_ID: '000000000000',
  AWS_SECRET_ACCESS_KEY: 'emulator',
} as const;

const REQUIREMENTS = join(import.meta.dirname, 'requirements.txt');
const INSTALL_LIMIT_SECONDS = 300;
const START_LIMIT_SECONDS = 60;
const STOP_LIMIT_MS = 5_000;

export interface MiniStack {
  readonly port: number;
  /** HTTPS, since bucket and queues refuse plain HTTP. */
  readonly endpoint: string;
  /** File of the certificate that clients have to trust. */
  readonly certificate: string;
  stop(): Promise<void>;
}

/** A virtual environment with the pinned packages; made once and again when the pins change. */
export async function installMiniStack(folder: string): Promise<void> {
  const installed = join(folder, 'installed.txt');
  const wanted = await readFile(REQUIREMENTS, 'utf8');
  if ((await readFile(installed, 'utf8').catch(() => '')) === wanted) return;
  await rm(folder, { recursive: true, force: true });
  await makeVirtualEnvironment(folder);
  await runProgram(
    [
      join(folder, 'bin', 'pip'),
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--requirement',
      REQUIREMENTS,
    ],
    { limitSeconds: INSTALL_LIMIT_SECONDS },
  );
  await cp(REQUIREMENTS, installed);
}

async function makeVirtualEnvironment(folder: string): Promise<void> {
  try {
    await runProgram(['python3', '-m', 'venv', folder], { limitSeconds: INSTALL_LIMIT_SECONDS });
  } catch (cause) {
    throw new Error('MiniStack needs python3, 3.10 or newer, with its module venv', { cause });
  }
}

/** Starts MiniStack on a free port of the loopback interface; its log goes to `folder`. */
export async function startMiniStack(environment: string, folder: string): Promise<MiniStack> {
  const port = await freePort();
  // Outside the project: its package.json would make ES modules of the scripts that run the functions.
  const files = await mkdtemp(join(tmpdir(), 'longhaul-ministack-'));
  const endpoint = `https://127.0.0.1:${port}`;
  const certificate = join(files, 'ministack-tls', 'server.crt');
  const log = join(folder, 'ministack.log');
  const output = openSync(log, 'w');
  const child = startGroup([join(environment, 'bin', 'ministack')], {
    stdio: ['ignore', output, output],
    env: {
      ...process.env,
      ...ROOT,
      // Policies are enforced: a function that lacks a grant fails here as it would on AWS.
      AUTH: 'true',
      USE_SSL: '1',
      AWS_ENDPOINT_URL: endpoint,
      NODE_EXTRA_CA_CERTS: certificate,
      IOT_MTLS_ENABLED: '0',
      BIND_HOST: '127.0.0.1',
      GATEWAY_PORT: String(port),
      TMPDIR: files,
      STATE_DIR: join(files, 'state'),
      S3_DATA_DIR: join(files, 's3'),
    },
  });
  const ministack = { port, endpoint, certificate, stop: () => stop(child, files) };
  try {
    await untilItAnswers(port, child);
  } catch (error) {
    await ministack.stop();
    throw new Error(`MiniStack did not start; its log is ${log}`, { cause: error });
  }
  return ministack;
}

async function untilItAnswers(port: number, child: ChildProcess): Promise<void> {
  const deadline = Date.now() + START_LIMIT_SECONDS * 1_000;
  while (child.exitCode === null && Date.now() < deadline) {
    if (await isOpen(port)) return;
    await delay(100);
  }
  throw new Error(`nothing listens on port ${port}`);
}

async function isOpen(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  const open = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return open;
}

/** Ends it with the function environments it started, which are of its group. */
async function stop(child: ChildProcess, files: string): Promise<void> {
  const ended = child.exitCode === null ? once(child, 'close') : undefined;
  signalGroup(child, 'SIGTERM');
  await Promise.race([ended, delay(STOP_LIMIT_MS, undefined, { ref: false })]);
  signalGroup(child, 'SIGKILL');
  await rm(files, { recursive: true, force: true });
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
