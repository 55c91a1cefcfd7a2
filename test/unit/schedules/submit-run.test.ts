import { expect, it } from '@jest/globals';
import { submitRun } from '../../../lambdas/events/submit-run.ts';
import { MemoryJobQueue } from '../../../src/adapters/memory/job-queue.ts';
import { memoryJobStore } from '../../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../../src/adapters/memory/payload-store.ts';
import { systemClock } from '../../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../../src/adapters/system/id-source.ts';
import { parseTraceparent } from '../../../src/core/trace/trace-context.ts';
import { registry } from '../../support/agents.ts';
import { NOON } from '../../support/builders.ts';
import { recordingTelemetry } from '../../support/http.ts';
import { memoryTracing } from '../../support/memory-tracing.ts';

it('a run of a schedule begins a trace, in which its job goes on', async () => {
  const clock = { ...systemClock, now: () => NOON };
  const tracing = memoryTracing();
  const jobs = memoryJobStore(clock);
  const deps = {
    jobs,
    queue: new MemoryJobQueue(clock),
    payloads: memoryPayloadStore(),
    tenants: { find: () => Promise.resolve(undefined) },
    clock,
    ids: systemIdSource,
    retentionDays: 90,
    webhooks: { allowLoopback: false },
    telemetry: recordingTelemetry(),
    tracing,
    agents: registry,
  };

  const { jobId = '', traceId } = await submitRun(deps, {
    tenantId: 'acme',
    name: 'nightly',
    job: { agent: 'echo', input: { value: 1 } },
    scheduledAt: NOON,
    idempotencyKey: 'schedule\nnightly\n1',
  });

  const job = await jobs.getJob(jobId);
  const [span] = tracing.spans;
  expect(span).toMatchObject({
    name: 'submit',
    attributes: { jobId, tenantId: 'acme', agent: 'echo', replayed: false },
  });
  expect(traceId).toBe(span?.traceId);
  expect(parseTraceparent(job?.traceparent)).toEqual({
    traceId: span?.traceId,
    spanId: span?.spanId,
    sampled: true,
  });
});
