import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { sourceDigest } from './source-digest.ts';

/** The assemblies used last stay: work goes back and forth between branches and contexts. */
const KEPT_ASSEMBLIES = 8;
const LOCK_POLL_MS = 100;

/**
 * The directory of the assembly made from the present sources and `context` (`name=value` each, for `cdk synth -c`). It
 * is named by their digest, so it is current whenever it is there; otherwise `cdk synth` makes it.
 */
export async function currentAssembly(
  say: (line: string) => void,
  { signal, context }: { readonly signal: AbortSignal; readonly context: readonly string[] },
): Promise<string> {
  const root = fileURLToPath(new URL('..', import.meta.url));
  const parent = join(root, '.longhaul', 'cdk.out');
  const directory = join(parent, await sourceDigest(root, context));
  if (existsSync(directory)) {
    const now = new Date();
    await utimes(directory, now, now);
    return directory;
  }
  await mkdir(parent, { recursive: true });
  // Several clouds may start at once: one synthesizes, the others wait for it.
  while (!(await lock(`${directory}.lock`))) {
    await delay(LOCK_POLL_MS, undefined, { signal });
    if (existsSync(directory)) return directory;
  }
  try {
    if (!existsSync(directory)) {
      say('Synthesizing the CDK app');
      await synthesize(root, directory, { signal, context });
      await removeOld(parent);
    }
  } finally {
    await rm(`${directory}.lock`, { force: true });
  }
  return directory;
}

async function synthesize(
  root: string,
  directory: string,
  { signal, context }: { readonly signal: AbortSignal; readonly context: readonly string[] },
): Promise<void> {
  const draft = `${directory}.${process.pid}.draft`;
  const cdk = join(root, 'node_modules', 'aws-cdk', 'bin', 'cdk');
  const args = [cdk, 'synth', '--quiet', '--output', draft, '-c', 'profile=local'];
  args.push(...context.flatMap((pair) => ['-c', pair]));
  const bin = join(root, 'node_modules', '.bin');
  const child = spawn(process.execPath, args, {
    cwd: root,
    env: {
      ...process.env,
      PATH: `${bin}${delimiter}${process.env['PATH'] ?? ''}`,
      CDK_DISABLE_CLI_TELEMETRY: 'true',
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`cdk synth failed with exit code ${String(code)}:\n${output}`);
    await rename(draft, directory);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/** Takes the lock file unless a living process holds it. */
async function lock(path: string): Promise<boolean> {
  try {
    await writeFile(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    const holder = Number(await readFile(path, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(path, { force: true });
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

/** Removes the assemblies that were not used lately, and what a synthesis that was killed left behind. */
async function removeOld(parent: string): Promise<void> {
  const names = await readdir(parent);
  const assemblies = await Promise.all(
    names
      .filter((name) => /^[0-9a-f]{16}$/.test(name))
      .map(async (name) => ({ name, usedAt: (await stat(join(parent, name))).mtimeMs })),
  );
  const old = assemblies
    .sort((left, right) => right.usedAt - left.usedAt)
    .slice(KEPT_ASSEMBLIES)
    .map(({ name }) => name);
  const orphans = names.filter((name) => {
    const [, pid] = /\.(\d+)\.draft$/.exec(name) ?? [];
    return pid !== undefined && !isAlive(Number(pid));
  });
  await Promise.all(
    [...old, ...orphans].map((name) => rm(join(parent, name), { recursive: true, force: true })),
  );
}
