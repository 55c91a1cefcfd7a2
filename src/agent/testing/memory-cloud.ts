import { MemoryDeadLetterQueue } from '../../adapters/memory/dead-letter-queue.ts';
import { MemoryJobQueue } from '../../adapters/memory/job-queue.ts';
import { memoryJobStore } from '../../adapters/memory/job-store.ts';
import { MemoryNotificationQueue } from '../../adapters/memory/notification-queue.ts';
import { memoryPayloadStore } from '../../adapters/memory/payload-store.ts';
import { systemIdSource } from '../../adapters/system/id-source.ts';
import { systemStepScope } from '../../adapters/system/step-scope.ts';
import type { EngineDeps, SubJobLimits } from '../../core/engine/engine-deps.ts';
import { type Batch, createInvocation, runBatch } from '../../core/engine/run-batch.ts';
import { isFinal, type Job } from '../../core/job/job.ts';
import type { JournalEntry } from '../../core/job/journal.ts';
import type { JobHint } from '../../core/ports/job-queue.ts';
import type { StepScope } from '../../core/ports/step-scope.ts';
import { sweep } from '../../core/sweep/sweep.ts';
import type { Agent } from '../define-agent.ts';
import { defineRegistry } from '../registry.ts';
import { Faults } from './faults.ts';
import { rememberJobs } from './remember-jobs.ts';
import { StepsAtWork } from './steps-at-work.ts';
import { quiet, VirtualClock } from './virtual-clock.ts';
import { Worker } from './worker.ts';

export interface CloudOptions {
  /** How long an invocation may take. Default 300 s. */
  readonly invocationMs?: number;
  /** Default 60 s. */
  readonly leaseMs?: number;
  /** Default: always 0.5. */
  readonly random?: () => number;
  /** Whether a worker writes one page and is replaced. Default false. */
  readonly isReplacedAfterEachPage?: boolean;
  /** After so many invocations in a row at one instant the jobs count as endless. Default 10,000. */
  readonly maxInvocations?: number;
  /** Real time after which a step function that is still running counts as hung; 0: time passes whatever runs. Default 1 s. */
  readonly patienceMs?: number;
  /** Default: that of a deployment, depth 5 and 1,000 of one job. */
  readonly subJobs?: SubJobLimits;
}

/** How often the sweeper looks. */
const SWEEP_MS = 10_000;

/** The engine on memory adapters and a virtual clock: hints are delivered, workers run and die, time flies. */
export class MemoryCloud {
  readonly clock = new VirtualClock();
  readonly queue = new MemoryJobQueue(this.clock);
  readonly deadLetters = new MemoryDeadLetterQueue();
  readonly notifications = new MemoryNotificationQueue(this.clock);
  readonly faults = new Faults();
  readonly deps: EngineDeps;
  readonly #options: Required<CloudOptions>;
  readonly #stepsAtWork: StepsAtWork;
  readonly #latest = new Map<string, Job>();
  #invocations = 0;

  constructor(agents: readonly Agent[], options: CloudOptions = {}) {
    this.#options = {
      invocationMs: 300_000,
      leaseMs: 60_000,
      random: () => 0.5,
      isReplacedAfterEachPage: false,
      maxInvocations: 10_000,
      patienceMs: 1_000,
      subJobs: { maxDepth: 5, maxPerJob: 1_000 },
      ...options,
    };
    this.#stepsAtWork = new StepsAtWork(this.#options.patienceMs);
    this.deps = {
      jobs: rememberJobs(memoryJobStore(this.clock), this.#latest),
      payloads: memoryPayloadStore(),
      queue: this.queue,
      deadLetters: this.deadLetters,
      notifications: this.notifications,
      tenantEndpoints: () => Promise.resolve([]),
      clock: this.clock,
      ids: { ...systemIdSource, random: this.#options.random },
      telemetry: { log: () => undefined, count: () => undefined, measure: () => undefined },
      agents: defineRegistry(...agents),
      subJobs: this.#options.subJobs,
      stepScope: this.#stepScope(),
    };
  }

  /** Jobs as they were written last, in the order of their creation. */
  get jobs(): readonly Job[] {
    return [...this.#latest.values()];
  }

  /** One invocation over these jobs; time passes as its timers need it. */
  async invoke(...jobIds: string[]): Promise<void> {
    const worker = this.#newWorker();
    const work = this.start(worker.deps, ...jobIds);
    await this.settle(Promise.race([work, worker.died]));
  }

  /** Begins an invocation; `settle` sees it through. */
  start(deps: EngineDeps, ...jobIds: string[]): Promise<void> {
    return runBatch(deps, {
      invocationId: `invocation-${++this.#invocations}`,
      endsAt: this.clock.now() + this.#options.invocationMs,
      leaseMs: this.#options.leaseMs,
      jobIds,
    });
  }

  /** Delivers one batch of hints; false when none is ready. */
  async deliver(): Promise<boolean> {
    const isolated = this.queue.receive(1, { isolated: true });
    const hints = isolated.length > 0 ? isolated : this.#receive();
    if (hints.length === 0) return false;
    await this.invoke(...hints.map((hint) => hint.jobId));
    return true;
  }

  async sweep(): Promise<void> {
    await this.settle(sweep(this.deps));
  }

  /** Everything that can happen without time passing, except that leases of dead workers run out. */
  async runReady(): Promise<void> {
    const { maxInvocations } = this.#options;
    for (let last = this.#invocations + maxInvocations; this.#invocations < last;) {
      if (await this.deliver()) continue;
      // What a running job waits for is the end of its lease, which only its manifest knows: the sweeper looks every 10 s.
      if (!this.jobs.some(({ status }) => status === 'running')) return;
      this.clock.jump(SWEEP_MS);
      await this.sweep();
    }
    throw new Error(
      `after ${maxInvocations} invocations the jobs still go on: does each replay ask for other step ids than the one before?`,
    );
  }

  /** Lets time pass up to an instant, and everything happen that is due by then. */
  async advanceTo(at: number): Promise<void> {
    await this.runReady();
    for (let next = this.nextMoment(); next <= at; next = this.nextMoment()) {
      this.clock.jump(Math.max(0, next - this.clock.now()));
      await this.sweep();
      await this.runReady();
    }
    this.clock.jump(Math.max(0, at - this.clock.now()));
  }

  /** When the next message becomes ready, or the sweeper has a reason to look; Infinity when neither will. */
  nextMoment(): number {
    return Math.min(
      ...this.jobs.map(({ dueAt }) => dueAt ?? Infinity),
      ...this.queue.messages.map(({ readyAt }) => readyAt),
    );
  }

  /** Lets time pass until the work is done. */
  async settle(work: Promise<unknown>): Promise<void> {
    let isDone = false;
    const finish = (): void => {
      isDone = true;
    };
    work.then(finish, finish);
    await quiet(this.clock);
    while (!settled()) {
      if (!(await this.#stepsAtWork.someEnded()) && !settled() && !this.clock.fireNext())
        throw new Error('the work waits for something that no timer brings');
      await quiet(this.clock);
    }
    await work;

    function settled(): boolean {
      return isDone;
    }
  }

  async job(jobId: string): Promise<Job> {
    const job = await this.deps.jobs.getJob(jobId);
    if (job === undefined) throw new Error(`there is no job ${jobId}`);
    return job;
  }

  async entries(jobId: string): Promise<JournalEntry[]> {
    const history = await this.deps.jobs.loadHistory(jobId);
    return history.pages.flatMap((page) => page.entries);
  }

  async result(jobId: string): Promise<unknown> {
    const job = await this.job(jobId);
    switch (job.result?.kind) {
      case 'inline':
        return parse(job.result.json);
      case 'item':
        return parse((await this.deps.jobs.getResult(job)) ?? '');
      case 's3':
        return parse(await this.deps.payloads.get(job.result));
      default:
        return undefined;
    }
  }

  /** A batch of several jobs would end with the first page of one of them. */
  #receive(): JobHint[] {
    return this.queue.receive(this.#options.isReplacedAfterEachPage ? 1 : 10);
  }

  #newWorker(): Worker {
    const now = this.clock.now();
    const { invocationMs, isReplacedAfterEachPage } = this.#options;
    const ends: Pick<Batch, 'invocationId' | 'endsAt'> = {
      invocationId: '',
      endsAt: now + invocationMs,
    };
    const { sliceEndsAt } = createInvocation(ends, now, {
      alone: true,
      leaseLost: new AbortController().signal,
      attention: new Map(),
      shouldYield: () => false,
    });
    return new Worker(this.deps, { faults: this.faults, sliceEndsAt, isReplacedAfterEachPage });
  }

  #stepScope(): StepScope {
    return {
      current: () => systemStepScope.current(),
      run: (step, fn) =>
        systemStepScope.run(step, () => {
          this.faults.meetStep(step);
          return this.#stepsAtWork.watch(fn());
        }),
    };
  }
}

/** Whether nothing is left to be done for a job. */
export function isOver(job: Job): boolean {
  return isFinal(job.status) && job.duties === undefined;
}

function parse(json: string): unknown {
  return json === '' ? undefined : (JSON.parse(json) as unknown);
}
