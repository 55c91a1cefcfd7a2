import type { AgentRegistry } from '../../agent/registry.ts';
import type { NotifyEvent } from '../notify/job-notify.ts';
import type { Endpoint } from '../notify/new-delivery.ts';
import type { Clock } from '../ports/clock.ts';
import type { EventBus } from '../ports/event-bus.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { DeadLetterQueue, JobQueue } from '../ports/job-queue.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { NotificationQueue } from '../ports/notification-queue.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import type { StepScope } from '../ports/step-scope.ts';
import type { UsageStore } from '../ports/usage-store.ts';
import type { EndedJob } from '../tenants/record-usage.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Span, Tracing } from '../ports/tracing.ts';

/** Everything the engine reaches the world through. */
export interface EngineDeps {
  readonly jobs: JobStore;
  readonly payloads: PayloadStore;
  readonly queue: JobQueue;
  readonly deadLetters: DeadLetterQueue;
  readonly notifications: NotificationQueue;
  /** Endpoints that a tenant has for all of its jobs. */
  readonly tenantEndpoints: (tenantId: string) => Promise<readonly TenantEndpoint[]>;
  /** Where changes of status go. Default: nobody listens. */
  readonly events?: EventBus;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly telemetry: Telemetry;
  /** Without it nothing is traced. */
  readonly tracing?: Tracing;
  /** The slice at work, for who works on one job. */
  readonly span?: Span;
  readonly agents: AgentRegistry;
  /** Without it nobody counts what has ended. */
  readonly usage?: Pick<UsageStore, 'add'>;
  readonly subJobs: SubJobLimits;
  /** Without it a step inside another step is not noticed. */
  readonly stepScope?: StepScope;
}

export interface TenantEndpoint extends Endpoint {
  /** Default: all. */
  readonly events?: readonly NotifyEvent[];
}

export interface SubJobLimits {
  /** Sub-jobs of sub-jobs: the job that a client submitted has depth 0. */
  readonly maxDepth: number;
  /** Sub-jobs of one job. */
  readonly maxPerJob: number;
}

/** One invocation of the worker: what its jobs share. */
export interface Invocation {
  readonly id: string;
  /** Epoch milliseconds at which the platform ends it. */
  readonly endsAt: number;
  /** Epoch milliseconds after which no job holds on: what is left is for writing down where it stands. */
  readonly sliceEndsAt: number;
  /** How long a fresh slice of this invocation is. */
  readonly sliceMs: number;
  /** Whether its batch held one job only. */
  readonly alone: boolean;
  /** Fires when the lease is lost. */
  readonly leaseLost: AbortSignal;
  /** What to call when somebody wants one of its jobs to be looked at, by job id. */
  readonly attention: Map<string, () => void>;
  /** Whether the jobs that are left should go on elsewhere, since most of the batch is done. */
  readonly shouldYield: () => boolean;
  /** What it has brought to an end so far. */
  readonly ended: EndedJob[];
  /** Ids of the messages that brought its jobs, by job id. */
  readonly messageIds?: ReadonlyMap<string, string>;
}
