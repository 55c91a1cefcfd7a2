import type { APIGatewayProxyResult } from 'aws-lambda';
import { httpHandler } from '../../lambdas/http/http-handler.ts';
import { submitRoute, type SubmitRouteDeps } from '../../lambdas/http/submit-route.ts';
import { MemoryJobQueue } from '../../src/adapters/memory/job-queue.ts';
import { memoryJobStore } from '../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../src/adapters/memory/payload-store.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { registry } from './agents.ts';
import { NOON } from './builders.ts';
import {
  anEvent,
  LAMBDA_CONTEXT,
  type RecordingTelemetry,
  recordingTelemetry,
  type RequestParts,
} from './http.ts';

export interface SubmitWorld {
  readonly jobs: JobStore;
  readonly queue: MemoryJobQueue;
  readonly telemetry: RecordingTelemetry;
  now: number;
  submit(body: unknown, parts?: RequestParts): Promise<APIGatewayProxyResult>;
}

type Overrides = Omit<Partial<SubmitRouteDeps>, 'jobs'> & { readonly jobs?: Partial<JobStore> };

/** The submit function over stores in memory; without a `runOnce` given, a key must not be sent. */
export function submitWorld({ jobs: otherJobs, ...overrides }: Overrides = {}): SubmitWorld {
  const clock = { ...systemClock, now: () => world.now };
  const telemetry = recordingTelemetry();
  const jobs = { ...memoryJobStore(clock), ...otherJobs };
  const queue = new MemoryJobQueue(clock);
  const handler = httpHandler(
    telemetry,
    submitRoute({
      queue,
      payloads: memoryPayloadStore(),
      clock,
      ids: systemIdSource,
      retentionDays: 90,
      webhooks: { allowLoopback: false },
      telemetry,
      agents: registry,
      runOnce: () => Promise.reject(new Error('called without a key')),
      ...overrides,
      jobs,
    }),
  );
  const world: SubmitWorld = {
    jobs,
    queue,
    telemetry,
    now: NOON,
    submit: (body, parts = {}) =>
      handler(
        anEvent({ body: typeof body === 'string' ? body : JSON.stringify(body), ...parts }),
        LAMBDA_CONTEXT,
      ),
  };
  return world;
}
