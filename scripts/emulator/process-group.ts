import { type ChildProcess, spawn, type SpawnOptions } from 'node:child_process';

const running = new Set<number>();

/** Starts a program as leader of a process group, so that what it starts can be ended with it. */
export function startGroup(
  [program, ...args]: readonly [string, ...string[]],
  options: SpawnOptions,
): ChildProcess {
  const child = spawn(program, args, { ...options, detached: true });
  const { pid } = child;
  if (pid !== undefined) {
    running.add(pid);
    child.once('close', () => running.delete(pid));
  }
  return child;
}

/** Signals a group that `startGroup` started; one that has ended is none the worse. */
export function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid !== undefined) signalIfThere(pid, signal);
}

/** Signals every group that still runs: their ends then unwind whatever waits for them. */
export function signalAllGroups(signal: NodeJS.Signals): void {
  for (const pid of running) signalIfThere(pid, signal);
}

function signalIfThere(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
