/** Agents as an app writes them that has Longhaul in its node_modules: everything comes from `longhaul/agent`. */
import { defineAgent, defineRegistry, RetryableError } from 'longhaul/agent';
import * as z from 'zod';

const greet = defineAgent({
  name: 'agent-of-a-consumer',
  input: z.object({ name: z.string() }),
  output: z.object({ greeting: z.string() }),
  run: async (ctx, { name }) => ({
    greeting: await ctx.step('greet', () => {
      if (name === '') throw new RetryableError('nobody is there yet');
      return `Hello, ${name}`;
    }),
  }),
});

export const registry = defineRegistry(greet);
