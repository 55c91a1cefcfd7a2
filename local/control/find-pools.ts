import type { FunctionPool } from '../lambda/function-pool.ts';
import { ControlError } from './control-request.ts';
import { findFunctions } from './find-functions.ts';

/** @throws ControlError when there is none */
export function poolsNamed(pools: readonly FunctionPool[], name: string): readonly FunctionPool[] {
  const found = findFunctions(pools, name);
  if (name !== '' && found.length > 0) return found;
  const known = pools.map(({ config }) => config.logicalId).join(', ');
  throw new ControlError(404, `no function ${JSON.stringify(name)}; known: ${known}`);
}

/** @throws ControlError when there is none, or more than one */
export function poolNamed(pools: readonly FunctionPool[], name: string): FunctionPool {
  const [pool, ...others] = poolsNamed(pools, name);
  if (pool && others.length === 0) return pool;
  const candidates = [pool, ...others].map((candidate) => candidate?.config.logicalId).join(', ');
  throw new ControlError(400, `${JSON.stringify(name)} means several functions: ${candidates}`);
}
