import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type Agent, type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import { EngineWorld } from '../../support/engine-world.ts';

function agentOf(run: (ctx: AgentContext) => Promise<unknown>): Agent {
  return defineAgent({ name: 'subject', input: z.unknown(), output: z.unknown(), run });
}

/** Has a sub-job that has a sub-job, and so on. */
const deepening = agentOf(async (ctx) => ctx.join([await ctx.spawn('deeper', 'subject', {})]));

const spawning = (count: number): Agent =>
  agentOf(async (ctx) => {
    for (let number = 1; number <= count; number++) {
      const id = `number ${number}`;
      await ctx.spawn(id, 'leaf', {});
    }
  });

const leaf = defineAgent({
  name: 'leaf',
  input: z.unknown(),
  output: z.unknown(),
  run: () => Promise.resolve(1),
});

describe('limits of sub-jobs', () => {
  it('refuse the spawn that would go deeper than configured', async () => {
    const world = new EngineWorld([deepening], { subJobs: { maxDepth: 2, maxPerJob: 10 } });
    await world.drive(await world.submit('subject'));

    expect(world.jobs.map(({ depth = 0 }) => depth)).toEqual([0, 1, 2]);
    expect(world.jobs.at(-1)?.error).toMatchObject({
      cause: {
        code: 'children_exceeded',
        message: 'spawn "deeper" would make a sub-job at depth 3: the limit is 2',
      },
    });
  });

  it('refuse the spawn that would be one more than configured, and none before', async () => {
    const world = new EngineWorld([spawning(4), leaf], { subJobs: { maxDepth: 1, maxPerJob: 3 } });
    const job = await world.drive(await world.submit('subject'));

    expect(world.jobCount('leaf')).toBe(3);
    expect(job.error).toMatchObject({
      cause: {
        code: 'children_exceeded',
        message: 'spawn "number 4" would make sub-job number 4: the limit is 3',
      },
    });
  });

  it('hold for branches that spawn side by side', async () => {
    const wide = agentOf(async (ctx) => {
      const spawns = [1, 2, 3, 4, 5].map((number) => ctx.spawn(`number ${number}`, 'leaf', {}));
      const settled = await Promise.allSettled(spawns);
      return settled.map(({ status }) => status);
    });
    const world = new EngineWorld([wide, leaf], { subJobs: { maxDepth: 1, maxPerJob: 3 } });
    const jobId = await world.submit('subject');
    await world.drive(jobId);

    expect(world.jobCount('leaf')).toBe(3);
    const [done, refused] = ['fulfilled', 'rejected'];
    expect(await world.result(jobId)).toEqual([done, done, done, refused, refused]);
  });

  it('give the place of a spawn that was refused to another', async () => {
    const clumsy = agentOf(async (ctx) => {
      await ctx.spawn('unknown', 'nobody', {}).catch(() => undefined);
      await ctx.spawn('known', 'leaf', {});
    });
    const world = new EngineWorld([clumsy, leaf], { subJobs: { maxDepth: 1, maxPerJob: 1 } });

    expect(await world.drive(await world.submit('subject'))).toMatchObject({ status: 'succeeded' });
  });

  it('are those of a deployment unless others are given', async () => {
    const world = new EngineWorld([deepening]);
    await world.drive(await world.submit('subject'));

    expect(world.jobs.at(-1)?.depth).toBe(5);
    expect(world.deps.subJobs).toEqual({ maxDepth: 5, maxPerJob: 1_000 });
  });
});
