import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { type BudgetWorld, startBudgetWorld } from '../support/budget-world.ts';
import { type MemoryTracing, memoryTracing } from '../support/memory-tracing.ts';

jest.setTimeout(120_000);

const TRACES = ['a', 'b', 'c'].map((digit) => digit.repeat(32));
const CALLER_SPAN = '00f067aa0ba902b7';

describe('jobs that share an invocation', () => {
  let world: BudgetWorld;
  let tracing: MemoryTracing;

  beforeEach(async () => {
    tracing = memoryTracing();
    world = await startBudgetWorld({ tracing });
  });

  afterEach(async () => {
    await world.stop();
  });

  const submit = (agent: string, input: unknown, traceId: string, flags = '01') =>
    world.submit(agent, input, { traceparent: `00-${traceId}-${CALLER_SPAN}-${flags}` });

  it('have a trace each, with their own steps below their own slice', async () => {
    const jobIds = await Promise.all(
      TRACES.map((traceId) => submit('five-steps', { stepMs: 5 }, traceId)),
    );
    expect(await world.deliver()).toBe(3);

    for (const [index, traceId] of TRACES.entries()) {
      const spans = tracing.spans.filter((span) => span.traceId === traceId);
      const [submitted] = spans.filter(({ name }) => name === 'submit');
      const [slice, ...others] = spans.filter(({ name }) => name === 'job five-steps');
      expect(others).toEqual([]);
      expect(submitted?.parentId).toBe(CALLER_SPAN);
      expect(slice).toMatchObject({
        parentId: submitted?.spanId,
        attributes: {
          jobId: jobIds[index],
          tenantId: 'acme',
          agent: 'five-steps',
          attempt: 1,
          status: 'succeeded',
        },
      });
      const steps = spans.filter(({ parentId }) => parentId === slice?.spanId);
      expect(steps.map(({ name }) => name)).toEqual([1, 2, 3, 4, 5].map((n) => `step-${n}`));
    }
    expect(tracing.spans).toHaveLength(3 * 7);
  });

  it('fail in their own trace only, by the name and code of the error', async () => {
    const [healthy = '', failing = ''] = TRACES;
    await submit('five-steps', {}, healthy);
    await submit('discreet', { secret: 'hunter2', then: 'fail' }, failing);
    await world.deliver();

    const failed = tracing.spans.filter((span) => span.failed);
    expect(failed.map(({ name, traceId }) => [name, traceId])).toEqual([
      ['call', failing],
      ['job discreet', failing],
    ]);
    expect(failed.map(({ text }) => text).join()).toContain('ServiceError');
    expect(tracing.spans.map(({ text }) => text).join()).not.toContain('hunter2');
  });

  it('are recorded or not each by its own flag', async () => {
    const [seen = '', unseen = ''] = TRACES;
    await submit('five-steps', {}, seen);
    await submit('five-steps', {}, unseen, '00');
    await world.deliver();

    expect(new Set(tracing.spans.map(({ traceId }) => traceId))).toEqual(new Set([seen]));
  });
});
