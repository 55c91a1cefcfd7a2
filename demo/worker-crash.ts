import { expectStatus, send } from './http.ts';
import type { LocalCloud } from './local-cloud.ts';

interface Calls {
  readonly calls: readonly { readonly number: number; readonly environment: string }[];
}

interface Environments {
  readonly environments: readonly { readonly id: string }[];
}

let fatalCall = 0;

/** Lets the worker environment that makes the given request to AWS, counted from now, die when its answer arrives. */
export async function crashWorkerAtCall(cloud: LocalCloud, call: number): Promise<void> {
  fatalCall = call;
  const reset = await send(`${cloud.controlUrl}/calls?function=worker`, { method: 'DELETE' });
  expectStatus(reset, 200, 'DELETE /_local/calls');
  const armed = await send(`${cloud.controlUrl}/crash-points`, {
    method: 'POST',
    body: { function: 'worker', call, when: 'after' },
  });
  expectStatus(armed, 200, 'POST /_local/crash-points');
}

/** The environment that died, once it has. */
export async function killedEnvironment(cloud: LocalCloud): Promise<string | undefined> {
  const answer = await send(`${cloud.controlUrl}/calls?function=worker`);
  const { calls } = expectStatus(answer, 200, 'GET /_local/calls') as Calls;
  const fatal = calls.find(({ number }) => number === fatalCall);
  if (fatal === undefined) return undefined;
  const living = await send(`${cloud.controlUrl}/environments`);
  const { environments } = expectStatus(living, 200, 'GET /_local/environments') as Environments;
  return environments.some(({ id }) => id === fatal.environment) ? undefined : fatal.environment;
}
