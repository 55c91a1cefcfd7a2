import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import { EngineWorld } from '../../support/engine-world.ts';

async function failureOf(run: (ctx: AgentContext) => Promise<unknown>) {
  const any = z.unknown();
  const world = new EngineWorld([defineAgent({ name: 'subject', input: any, output: any, run })]);
  const jobId = await world.submit('subject');
  const { status, error } = await world.drive(jobId);
  return { status, error, entries: await world.entries(jobId), world };
}

const later = () => new Promise((resolve) => setImmediate(resolve));

describe('a durable operation inside a step', () => {
  it.each([
    { name: 'step', start: (ctx: AgentContext) => ctx.step('inner', () => 1) },
    { name: 'map', start: (ctx: AgentContext) => ctx.map('inner', [1], {}, (n) => n) },
    { name: 'scope', start: (ctx: AgentContext) => ctx.scope('inner', () => 1) },
    { name: 'sleep', start: (ctx: AgentContext) => ctx.sleep('inner', '1d') },
    {
      name: 'wait',
      start: (ctx: AgentContext) => ctx.waitForSignal('inner', { schema: z.unknown() }),
    },
    { name: 'spawn', start: (ctx: AgentContext) => ctx.spawn('inner', 'subject', {}) },
    { name: 'join', start: (ctx: AgentContext) => ctx.join([{ jobId: 'j', agent: 'a' }]) },
  ])('is refused at once when it is a $name, naming both', async ({ start }) => {
    const { status, error, entries, world } = await failureOf((ctx) =>
      ctx.step('outer', async () => {
        await later();
        return start(ctx);
      }),
    );

    expect(status).toBe('failed');
    expect(error).toMatchObject({ step: 'outer', cause: { code: 'step_nested' } });
    expect(error?.message).toMatch(/"(?:inner|join)" was started inside the step "outer"/);
    expect(entries.map(({ type }) => type)).toEqual(['step.failed', 'job.failed']);
    expect(world.deadLetters.letters).toHaveLength(0);
  });

  it('is none when it stands beside the step, however the two are interleaved', async () => {
    const { status } = await failureOf(async (ctx) => {
      let release = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      const first = ctx.step('first', async () => {
        await later();
        release();
        await later();
      });
      const second = gate.then(() => ctx.step('second', () => 2));
      await Promise.all([first, second]);
      await ctx.step('third', () => 3);
    });

    expect(status).toBe('succeeded');
  });
});
