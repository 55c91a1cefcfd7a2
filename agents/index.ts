import { defineRegistry } from '../src/agent/index.ts';

/** The agents of this deployment. */
export const registry = defineRegistry();
