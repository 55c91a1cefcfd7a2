import type { APIGatewayProxyResult } from 'aws-lambda';
import { type ApiDeps, apiRoutes } from '../../lambdas/http/api-routes.ts';
import { type CommandRouteDeps, commandRoutes } from '../../lambdas/http/command-routes.ts';
import { cursorSeal } from '../../lambdas/http/cursor-seal.ts';
import { httpHandler } from '../../lambdas/http/http-handler.ts';
import { deliveryRoutes } from '../../lambdas/http/delivery-routes.ts';
import { router } from '../../lambdas/http/router.ts';
import type { RunOnce } from '../../src/adapters/idempotency/powertools-run-once.ts';
import { MemoryDeadLetterQueue } from '../../src/adapters/memory/dead-letter-queue.ts';
import { MemoryJobQueue } from '../../src/adapters/memory/job-queue.ts';
import { memoryJobStore } from '../../src/adapters/memory/job-store.ts';
import { MemoryNotificationQueue } from '../../src/adapters/memory/notification-queue.ts';
import { memoryPayloadStore } from '../../src/adapters/memory/payload-store.ts';
import { memorySecretStore } from '../../src/adapters/memory/secret-store.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import type { Job } from '../../src/core/job/job.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { aJob, NOON } from './builders.ts';
import { anEvent, LAMBDA_CONTEXT, recordingTelemetry, type RequestParts } from './http.ts';

export const JOB_ID = `job_${'0'.repeat(26)}`;

export interface CommandWorld {
  readonly jobs: JobStore;
  readonly queue: MemoryJobQueue;
  readonly deadLetters: MemoryDeadLetterQueue;
  readonly notifications: MemoryNotificationQueue;
  now: number;
  /** Stores the job that `send` is about. */
  given(parts: Partial<Job>): Promise<void>;
  job(jobId?: string): Promise<Job>;
  /** `POST /jobs/{jobId}/<command>`; `signals/go` names the signal `go`. */
  send(command: string, body?: unknown, parts?: RequestParts): Promise<APIGatewayProxyResult>;
}

/** The api function over stores in memory. */
export function commandWorld(overrides: Partial<CommandRouteDeps> = {}): CommandWorld {
  const clock = { ...systemClock, now: () => world.now };
  const telemetry = recordingTelemetry();
  const jobs = memoryJobStore(clock);
  const queue = new MemoryJobQueue(clock);
  const deadLetters = new MemoryDeadLetterQueue();
  const notifications = new MemoryNotificationQueue(clock);
  const deps: CommandRouteDeps & ApiDeps = {
    jobs,
    queue,
    deadLetters,
    notifications,
    tenantEndpoints: () => Promise.resolve([]),
    payloads: memoryPayloadStore(),
    runOnce: memoryRunOnce(),
    cursors: cursorSeal(memorySecretStore()),
    clock,
    ids: systemIdSource,
    telemetry,
    ...overrides,
  };
  const handler = httpHandler(
    telemetry,
    router({ ...apiRoutes(deps), ...commandRoutes(deps), ...deliveryRoutes(deps) }),
  );
  const world: CommandWorld = {
    jobs,
    queue,
    deadLetters,
    notifications,
    now: NOON,
    given: async (parts) => {
      await jobs.createJob(aJob({ jobId: JOB_ID, ...parts }));
    },
    job: async (jobId = JOB_ID) => {
      const job = await jobs.getJob(jobId);
      if (job === undefined) throw new Error(`there is no job ${jobId}`);
      return job;
    },
    send: (command, body, parts = {}) => {
      const [kind = '', name = ''] = command.split('/');
      const isSignal = kind === 'signals';
      return handler(
        anEvent({
          resource: `/jobs/{jobId}/${isSignal ? 'signals/{name}' : command}`,
          pathParameters: { jobId: JOB_ID, ...(isSignal && { name }) },
          body: textOf(body),
          ...parts,
        }),
        LAMBDA_CONTEXT,
      );
    },
  };
  return world;
}

function textOf(body: unknown): string | null {
  if (body === undefined) return null;
  return typeof body === 'string' ? body : JSON.stringify(body);
}

/** Remembers what was done under a key, as Powertools does. */
export function memoryRunOnce(): RunOnce {
  const done = new Map<string, { fingerprint: string; value: object }>();
  return async <Value extends object>(
    { tenantId, key, fingerprint }: Parameters<RunOnce>[0],
    work: () => Promise<Value>,
  ) => {
    const id = JSON.stringify([tenantId, key]);
    const earlier = done.get(id);
    if (earlier !== undefined && earlier.fingerprint !== fingerprint) {
      return { outcome: 'other_payload' };
    }
    if (earlier !== undefined) return { outcome: 'replayed', value: earlier.value as Value };
    const value = await work();
    done.set(id, { fingerprint, value });
    return { outcome: 'ran', value };
  };
}
