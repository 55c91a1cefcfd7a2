import { describe, expect, it, jest } from '@jest/globals';
import * as z from 'zod';
import { type AgentContext, defineAgent } from '../../../src/agent/index.ts';
import type { AppError } from '../../../src/errors.ts';
import { LIMITS } from '../../../src/core/policy/limits.ts';
import { EngineWorld } from '../../support/engine-world.ts';

// 48 MB of JSON take seconds on a machine that is busy.
jest.setTimeout(60_000);

const LIMIT = LIMITS.payloadBytes;
const QUOTES = 2;
/** JSON text of these is one byte over the limit, and as large as it may be. */
const tooLarge = (): string => 'x'.repeat(LIMIT - QUOTES + 1);
const largest = (): string => 'x'.repeat(LIMIT - QUOTES);

async function driven(run: (ctx: AgentContext) => Promise<unknown>) {
  const agent = defineAgent({ name: 'subject', input: z.unknown(), output: z.unknown(), run });
  const world = new EngineWorld([agent]);
  const jobId = await world.submit('subject');
  await world.invoke(jobId);
  await world.drive(jobId);
  return { world, jobId, job: await world.job(jobId) };
}

// Peer faults 7 and 8: a result too large was found only in production, and the workflow could not catch the error.
describe('a value over the limit of a payload', () => {
  it('as a step outcome is an error that names size and limit, which run can catch', async () => {
    let tries = 0;
    const seen: object[] = [];
    const { world, jobId } = await driven(async (ctx) => {
      try {
        await ctx.step('grow', () => {
          tries++;
          return tooLarge();
        });
      } catch (error) {
        const { code, details, message } = error as AppError;
        seen.push({ code, details, message });
      }
      await ctx.sleep('nap', '1h');
      return ctx.step('go-on', () => 'done');
    });

    expect(await world.result(jobId)).toBe('done');
    expect(tries).toBe(1);
    const [first, replayed] = seen;
    expect(first).toMatchObject({
      code: 'payload_too_large',
      details: { sizeBytes: LIMIT + 1, limitBytes: LIMIT },
      message: expect.stringMatching(
        new RegExp(`${LIMIT + 1} bytes.*limit is ${LIMIT}`),
      ) as unknown,
    });
    expect(replayed).toEqual(first);
  });

  it('that nobody catches ends the job at once, with the step and the error underneath', async () => {
    const { job, world } = await driven((ctx) => ctx.step('grow', tooLarge));

    expect(job).toMatchObject({
      status: 'failed',
      epoch: 1,
      error: {
        code: 'step_failed',
        step: 'grow',
        cause: {
          code: 'payload_too_large',
          details: { sizeBytes: LIMIT + 1, limitBytes: LIMIT },
        },
      },
    });
    expect(world.deadLetters.letters).toHaveLength(0);
  });

  it('as the result of a job ends it at once, with size and limit', async () => {
    const { job, world } = await driven(() => Promise.resolve(tooLarge()));

    expect(job).toMatchObject({
      status: 'failed',
      epoch: 1,
      error: {
        code: 'payload_too_large',
        message: expect.stringContaining(String(LIMIT + 1)) as unknown,
        cause: { details: { sizeBytes: LIMIT + 1, limitBytes: LIMIT } },
      },
    });
    expect(world.deadLetters.letters).toHaveLength(0);
  });

  it('is none at the limit itself', async () => {
    const { job, world, jobId } = await driven((ctx) => ctx.step('grow', largest));

    expect(job).toMatchObject({ status: 'succeeded', epoch: 1 });
    expect(((await world.result(jobId)) as string).length).toBe(LIMIT - QUOTES);
  });
});
