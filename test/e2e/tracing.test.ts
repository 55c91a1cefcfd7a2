import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { ApiClient, jobOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';
import {
  type SeenSpan,
  startOtlpCollector,
  type TraceReceiver,
} from '../support/trace-receivers.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

jest.setTimeout(240_000);

interface LogLine {
  readonly service?: string;
  readonly traceId?: string;
}

const CALLER_SPAN = '00f067aa0ba902b7';

describeLocal('the trace of a job', 'the collector is on this machine', () => {
  let target: LocalTarget;
  let api: ApiClient;
  let collector: TraceReceiver;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    [collector, receiver] = await Promise.all([startOtlpCollector(), WebhookReceiver.start()]);
    target = await startLocalTarget([
      'longhaul:tracing.mode=otel',
      `longhaul:tracing.otlpEndpoint=${collector.address}`,
      'longhaul:tracing.samplingPercent=100',
    ]);
    api = new ApiClient(target);
  });

  afterAll(async () => {
    await target.stop();
    await Promise.all([collector.stop(), receiver.stop()]);
  });

  /** Runs a job to its webhook. */
  async function run(agent: string, input: unknown, headers: Record<string, string> = {}) {
    const before = receiver.received.length;
    const notify = { url: receiver.url };
    const { jobId } = jobOf(await api.post({ agent, input, notify }, { headers }), 202);
    await api.finalJob(jobId);
    const webhook = (await receiver.atLeast(before + 1))[before];
    return { jobId, traceparent: webhook?.headers.traceparent ?? '' };
  }

  const named = (spans: readonly SeenSpan[], name: string): SeenSpan[] =>
    spans.filter((span) => span.name === name);
  const isDelivered = (spans: readonly SeenSpan[]): boolean =>
    named(spans, 'deliver job.succeeded').length > 0;

  it("leads from the caller's span by submit, slices, tries and sub-jobs to the webhook", async () => {
    const traceId = randomBytes(16).toString('hex');
    const headers = { traceparent: `00-${traceId}-${CALLER_SPAN}-01` };
    const { jobId, traceparent } = await run(
      'family',
      { agent: 'flaky', inputs: [{ failures: 1 }] },
      headers,
    );

    const spans = await collector.traceWhen(traceId, isDelivered);
    const [submit] = named(spans, 'submit');
    expect(submit).toMatchObject({ parentId: CALLER_SPAN, attributes: { jobId, agent: 'family' } });

    // It waits for its sub-job between two slices.
    const slices = named(spans, 'job family');
    expect(slices.length).toBeGreaterThan(1);
    for (const slice of slices) {
      expect(slice).toMatchObject({ parentId: submit?.spanId, failed: false });
      expect(slice.attributes).toMatchObject({ jobId, tenantId: 'acme', agent: 'family' });
    }

    const below = new Set(slices.map(({ spanId }) => spanId));
    const subJobs = named(spans, 'job flaky');
    expect(subJobs.filter(({ parentId }) => !below.has(parentId ?? ''))).toEqual([]);

    const tries = named(spans, 'try');
    const parents = new Set(subJobs.map(({ spanId }) => spanId));
    expect(tries.map(({ failed }) => failed)).toEqual([true, false]);
    expect(tries.filter(({ parentId }) => !parents.has(parentId ?? ''))).toEqual([]);

    const [delivery] = named(spans, 'deliver job.succeeded');
    expect(delivery).toMatchObject({ parentId: submit?.spanId, failed: false });
    expect(traceparent).toBe(`00-${traceId}-${delivery?.spanId ?? ''}-01`);
  });

  it('begins with the submit where the caller has none, and its id is in each log line of the job', async () => {
    const { jobId, traceparent } = await run('five-steps', {});
    const [, traceId = ''] = traceparent.split('-');

    const spans = await collector.traceWhen(traceId, isDelivered);
    expect(spans.map(({ name }) => name).sort()).toEqual([
      'deliver job.succeeded',
      'job five-steps',
      'step-1',
      'step-2',
      'step-3',
      'step-4',
      'step-5',
      'submit',
    ]);
    const lines = (await target.functionLog())
      .split('\n')
      .filter((line) => line.includes(jobId))
      .map((line) => JSON.parse(line.slice(line.indexOf('{'))) as LogLine)
      // API Gateway logs its requests beside the functions, and knows no traces of jobs.
      .filter(({ service }) => service === 'longhaul');
    expect(lines.length).toBeGreaterThan(1);
    expect(lines.map((line) => line.traceId)).toEqual(lines.map(() => traceId));
  });

  it('goes nowhere where the caller says so, and goes on all the same', async () => {
    const traceId = randomBytes(16).toString('hex');
    const headers = { traceparent: `00-${traceId}-${CALLER_SPAN}-00` };
    const unseen = await run('five-steps', {}, headers);
    const seen = await run('five-steps', {});

    await collector.traceWhen(seen.traceparent.split('-')[1] ?? '', isDelivered);
    expect(collector.spans.filter((span) => span.traceId === traceId)).toEqual([]);
    // Nothing of ours was recorded, so the receiver comes below the caller.
    expect(unseen.traceparent).toBe(`00-${traceId}-${CALLER_SPAN}-00`);
  });
});
