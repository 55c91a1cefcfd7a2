import { randomBytes, randomUUID } from 'node:crypto';
import type { Endpoints } from '../emulators/clients.ts';
import type { Deployment } from '../template/deployment.ts';
import type { Invocation, InvocationOutcome } from './execution-environment.ts';
import { functionConfigs } from './function-config.ts';
import { FunctionPool, type PoolShared } from './function-pool.ts';

/** The functions of the template by name. */
export class Functions {
  readonly pools: readonly FunctionPool[];

  constructor(
    deployment: Deployment,
    endpoints: Endpoints,
    shared: Omit<PoolShared, 'emulatorPorts'>,
  ) {
    const emulatorPorts = Object.fromEntries(
      Object.entries(endpoints).map(([service, url]) => [new URL(url as string).port, service]),
    ) as Record<number, string>;
    this.pools = functionConfigs(deployment, endpoints).map(
      (config) => new FunctionPool(config, { ...shared, emulatorPorts }),
    );
  }

  named(name: string): FunctionPool {
    const pool = this.pools.find(({ config }) => config.name === name);
    if (!pool) throw new Error(`no function ${name}`);
    return pool;
  }

  async invoke(name: string, invocation: Invocation): Promise<InvocationOutcome> {
    return this.named(name).invoke(invocation);
  }

  async stop(): Promise<void> {
    await Promise.all(this.pools.map((pool) => pool.stop()));
  }
}

/** An invocation that begins a trace of its own. */
export function newInvocation(payload: string): Invocation {
  const seconds = Math.floor(Date.now() / 1000).toString(16);
  const root = `1-${seconds}-${randomBytes(12).toString('hex')}`;
  return {
    requestId: randomUUID(),
    payload,
    // There is no X-Ray here that could take samples.
    traceId: `Root=${root};Parent=${randomBytes(8).toString('hex')};Sampled=0`,
  };
}
