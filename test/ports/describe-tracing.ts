import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { FlushableTracing } from '../../src/adapters/telemetry/span-tree.ts';
import type { Span } from '../../src/core/ports/tracing.ts';
import type { SeenSpan, TraceReceiver } from '../support/trace-receivers.ts';

export interface TracedWorld {
  readonly tracing: FlushableTracing;
  readonly receiver: TraceReceiver;
  /** Id of the span that a library finds as the current one. */
  readonly currentSpanId: () => string | undefined;
}

const TRACES = ['a', 'b', 'c'].map((digit) => `6866${digit.repeat(28)}`);
const [TRACE = ''] = TRACES;
const CALLER = '00f067aa0ba902b7';
const PARENT = { traceId: TRACE, spanId: CALLER, sampled: true };

/** What holds for whatever sends traces away. */
export function describeTracing(name: string, make: () => Promise<TracedWorld>): void {
  describe(`${name} tracing`, () => {
    let world: TracedWorld;

    beforeEach(async () => {
      world = await make();
    });

    afterEach(async () => {
      await world.receiver.stop();
    });

    const sent = async (count: number): Promise<readonly SeenSpan[]> => {
      await world.tracing.flush();
      return world.receiver.atLeast(count);
    };
    const job = (work: (span: Span) => Promise<unknown>, parent = PARENT): Promise<unknown> =>
      world.tracing.inSpan({ name: 'job echo', attributes: { jobId: 'job-1' } }, parent, work);

    it('puts a span into the trace of its parent, with what was said of it', async () => {
      await job((span) => {
        span.note({ status: 'succeeded', steps: 5 });
        return Promise.resolve();
      });

      const [span] = await sent(1);
      expect(span).toMatchObject({
        name: 'job echo',
        traceId: TRACE,
        parentId: CALLER,
        failed: false,
      });
      expect(span?.attributes).toMatchObject({ jobId: 'job-1', status: 'succeeded', steps: 5 });
    });

    it('begins a trace under the id that was decided for it', async () => {
      await world.tracing.inSpan(
        { name: 'submit', attributes: {} },
        { traceId: TRACE, sampled: true },
        () => Promise.resolve(),
      );

      const [span] = await sent(1);
      expect(span?.traceId).toBe(TRACE);
      expect(span?.parentId ?? '').toBe('');
    });

    it('puts work within work below it', async () => {
      const answer = await job((span) =>
        span.inSpan({ name: 'page[3]/fetch', attributes: { step: 'page[3]/fetch', try: 2 } }, () =>
          Promise.resolve('fetched'),
        ),
      );

      const spans = await sent(2);
      const [step] = spans.filter(({ name }) => name.startsWith('page'));
      const [slice] = spans.filter(({ name }) => name.startsWith('job'));
      expect(answer).toBe('fetched');
      expect(step).toMatchObject({ traceId: TRACE, parentId: slice?.spanId });
      expect(step?.attributes).toMatchObject({ step: 'page[3]/fetch' });
      expect(Number(step?.attributes['try'])).toBe(2);
    });

    it('keeps two slices of one job in one trace', async () => {
      await job(() => Promise.resolve());
      await job(() => Promise.resolve());

      const [first, second] = await sent(2);
      expect(second?.traceId).toBe(first?.traceId);
      expect(second?.spanId).not.toBe(first?.spanId);
      expect(second?.parentId).toBe(first?.parentId);
    });

    it('keeps three jobs that run at once apart, also for the libraries that their steps call', async () => {
      const seen = new Map<string, (string | undefined)[]>();

      await Promise.all(
        TRACES.map((traceId) =>
          job(
            async (span) => {
              await nextTurn();
              for (const step of ['one', 'two']) {
                await span.inSpan({ name: step, attributes: {} }, async ({ context }) => {
                  await nextTurn();
                  const found = [context.spanId, world.currentSpanId()];
                  seen.set(`${traceId} ${step}`, found);
                  await nextTurn();
                });
              }
            },
            { traceId, spanId: CALLER, sampled: true },
          ),
        ),
      );

      const spans = await sent(9);
      for (const traceId of TRACES) {
        const own = spans.filter((span) => span.traceId === traceId);
        const slice = own.find(({ name }) => name === 'job echo');
        expect(own.map(({ name }) => name).sort()).toEqual(['job echo', 'one', 'two']);
        for (const step of own.filter(({ name }) => name !== 'job echo')) {
          expect(step.parentId).toBe(slice?.spanId);
          expect(seen.get(`${traceId} ${step.name}`)).toEqual([step.spanId, step.spanId]);
        }
      }
    });

    it('marks what failed by name and code of the error, and keeps its message to itself', async () => {
      const error = Object.assign(new Error('card 4111 was refused'), { code: 'refused' });

      const outcome = job((span) =>
        span.inSpan({ name: 'pay', attributes: {} }, () => Promise.reject(error)),
      );

      await expect(outcome).rejects.toBe(error);
      const spans = await sent(2);
      expect(spans.map(({ failed }) => failed)).toEqual([true, true]);
      expect(spans.every(({ text }) => text.includes('refused'))).toBe(true);
      expect(spans.some(({ text }) => text.includes('4111'))).toBe(false);
    });

    it('ends what never settles with the work around it', async () => {
      await job((span) => {
        void span.inSpan({ name: 'hangs', attributes: {} }, () => new Promise(() => undefined));
        return Promise.resolve();
      });

      const spans = await sent(2);
      const [hanging] = spans.filter(({ name }) => name === 'hangs');
      expect(String(hanging?.attributes['unfinished'])).toBe('true');
      expect(hanging?.text).not.toContain('in_progress');
    });

    it('sends more steps of one slice than fit into a datagram', async () => {
      await job(async (span) => {
        for (let index = 0; index < 500; index++) {
          await span.inSpan({ name: `step-${index}`, attributes: {} }, () => nextTurn());
        }
      });

      const spans = await sent(501);
      expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(501);
    });

    it('records nothing in a trace that is not sampled, and hands its parent on', async () => {
      const contexts: unknown[] = [];
      const parent = { ...PARENT, sampled: false };

      await job(async (span) => {
        contexts.push(span.context);
        await span.inSpan({ name: 'step', attributes: {} }, (below) => {
          contexts.push(below.context);
          return Promise.resolve();
        });
      }, parent);
      await job(() => Promise.resolve());

      const spans = await sent(1);
      expect(spans).toHaveLength(1);
      expect(contexts).toEqual([parent, parent]);
    });

    it('has nothing to send twice', async () => {
      await job(() => Promise.resolve());

      await sent(1);
      await world.tracing.flush();
      expect(world.receiver.spans).toHaveLength(1);
    });
  });
}
