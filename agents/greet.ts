import * as z from 'zod';
import { defineAgent } from '../src/agent/index.ts';

export const greet = defineAgent({
  name: 'greet',
  input: z.object({ names: z.array(z.string()).min(1) }),
  output: z.object({ greetings: z.array(z.string()) }),
  async run(ctx, { names }) {
    const greetings = await ctx.map('guest', names, { concurrency: 4 }, (name, guest) =>
      guest.step('greet', () => `Hello, ${name}!`),
    );
    return { greetings };
  },
});
