import { control } from './control.ts';
import type { LocalCloud } from './local-cloud.ts';

interface Calls {
  readonly calls: readonly { readonly number: number; readonly environment: string }[];
}

interface Environments {
  readonly environments: readonly { readonly id: string }[];
}

/** Lets the worker environment that makes the given request to AWS, counted from now, die when its answer arrives. */
export async function killWorkerAtCall(cloud: LocalCloud, call: number): Promise<void> {
  await control(cloud, '/calls?function=worker', { method: 'DELETE' });
  const body = { function: 'worker', call, when: 'after' };
  await control(cloud, '/crash-points', { method: 'POST', body });
}

/** The environment that made the given request, once it is gone. */
export async function killedEnvironment(
  cloud: LocalCloud,
  call: number,
): Promise<string | undefined> {
  const { calls } = await workerCalls(cloud);
  const fatal = calls.find(({ number }) => number === call)?.environment;
  if (fatal === undefined) return undefined;
  const { environments } = (await control(cloud, '/environments')) as Environments;
  return environments.some(({ id }) => id === fatal) ? undefined : fatal;
}

/** The worker environment that made the latest request. */
export async function latestEnvironment(cloud: LocalCloud): Promise<string | undefined> {
  return (await workerCalls(cloud)).calls.at(-1)?.environment;
}

async function workerCalls(cloud: LocalCloud): Promise<Calls> {
  return (await control(cloud, '/calls?function=worker')) as Calls;
}

/** Requests that workers have made to AWS so far. */
export async function workerCallCount(cloud: LocalCloud): Promise<number> {
  return (await workerCalls(cloud)).calls.length;
}
