import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { defineAgent } from '../../../src/agent/index.ts';
import { traceRepresentation } from '../../../lambdas/http/trace-representation.ts';
import { traceSchema } from '../../../src/protocol/trace.ts';
import { EngineWorld } from '../../support/engine-world.ts';

const agentOf = (version: string) =>
  defineAgent({
    name: 'subject',
    version,
    input: z.unknown(),
    output: z.unknown(),
    async run(ctx) {
      await ctx.step('a', () => 1);
      await ctx.step('b', () => 2);
      await ctx.sleep('nap', '1h');
      await ctx.sleep('nap again', '1h');
    },
  });

describe('the version of an agent', () => {
  it('stands on the first entry of each attempt and on the end, and costs no page', async () => {
    const world = new EngineWorld([agentOf('7')]);
    const jobId = await world.submit('subject');
    const { agentVersion } = await world.drive(jobId);

    const { pages, job } = await world.deps.jobs.loadHistory(jobId);
    const entries = pages.flatMap((page) => page.entries);
    expect(entries.map(({ type, attempt, agentVersion }) => [type, attempt, agentVersion])).toEqual(
      [
        ['step.succeeded', 1, '7'],
        ['step.succeeded', 1, undefined],
        ['sleep.started', 1, undefined],
        ['sleep.started', 2, '7'],
      ],
    );
    // The third attempt recorded nothing but the result.
    expect([agentVersion, job?.epoch, pages.length]).toEqual(['7', 3, 4]);
  });

  it('shows in the trace', async () => {
    const world = new EngineWorld([agentOf('7')]);
    const jobId = await world.submit('subject');
    const job = await world.drive(jobId);
    const { pages } = await world.deps.jobs.loadHistory(jobId);

    const trace = traceRepresentation({ job, pages }, { isFirst: true });

    const { entries } = traceSchema.parse(JSON.parse(JSON.stringify(trace)));
    expect(entries.map(({ attempt, agentVersion }) => [attempt, agentVersion])).toEqual([
      [0, undefined],
      [1, '7'],
      [1, undefined],
      [1, undefined],
      [2, '7'],
      [3, '7'],
    ]);
  });
});
