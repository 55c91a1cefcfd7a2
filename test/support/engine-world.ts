import { MemoryDeadLetterQueue } from '../../src/adapters/memory/dead-letter-queue.ts';
import { MemoryJobQueue } from '../../src/adapters/memory/job-queue.ts';
import { memoryJobStore } from '../../src/adapters/memory/job-store.ts';
import { memoryPayloadStore } from '../../src/adapters/memory/payload-store.ts';
import { systemIdSource } from '../../src/adapters/system/id-source.ts';
import type { Agent } from '../../src/agent/define-agent.ts';
import { defineRegistry } from '../../src/agent/registry.ts';
import type { EngineDeps } from '../../src/core/engine/engine-deps.ts';
import { runBatch } from '../../src/core/engine/run-batch.ts';
import { isFinal, type Job } from '../../src/core/job/job.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import type { JournalEntry } from '../../src/core/job/journal.ts';
import { sweep } from '../../src/core/sweep/sweep.ts';
import { turns, VirtualClock } from './virtual-clock.ts';

export interface WorldOptions {
  readonly invocationMs?: number;
  readonly leaseMs?: number;
  readonly random?: () => number;
}

/** The engine on memory adapters and a virtual clock: jobs are submitted, invocations run, time flies. */
export class EngineWorld {
  readonly clock = new VirtualClock();
  readonly queue = new MemoryJobQueue(this.clock);
  readonly deadLetters = new MemoryDeadLetterQueue();
  readonly deps: EngineDeps;
  readonly #options: Required<WorldOptions>;
  readonly #latest = new Map<string, Job>();
  #invocations = 0;
  #jobs = 0;

  constructor(agents: readonly Agent[], options: WorldOptions = {}) {
    this.#options = { invocationMs: 300_000, leaseMs: 60_000, random: () => 0.5, ...options };
    this.deps = {
      jobs: this.#watched(memoryJobStore(this.clock)),
      payloads: memoryPayloadStore(),
      queue: this.queue,
      deadLetters: this.deadLetters,
      clock: this.clock,
      ids: { ...systemIdSource, random: this.#options.random },
      telemetry: { log: () => undefined, count: () => undefined, measure: () => undefined },
      agents: defineRegistry(...agents),
    };
  }

  /** Remembers each job as it was written last. */
  #watched(store: JobStore): JobStore {
    return {
      ...store,
      createJob: async (job, inputJson) => {
        const result = await store.createJob(job, inputJson);
        if (result.created) this.#latest.set(job.jobId, job);
        return result;
      },
      updateJob: async (jobId, update) => {
        const result = await store.updateJob(jobId, update);
        if (result.applied) this.#latest.set(jobId, result.job);
        return result;
      },
    };
  }

  /** Puts a job as the submit command would, without a hint. */
  async submit(agent: string, input: unknown = {}): Promise<string> {
    const now = this.clock.now();
    const jobId = `job_${String(++this.#jobs).padStart(26, '0')}`;
    const deadlineAt = now + (this.deps.agents.get(agent)?.limits.maxDurationMs ?? 3_600_000);
    await this.deps.jobs.createJob({
      jobId,
      tenantId: 'acme',
      agent,
      status: 'queued',
      generation: 1,
      epoch: 0,
      wakeups: 0,
      crashes: 0,
      createdAt: now,
      updatedAt: now,
      deadlineAt,
      dueAt: now + 30_000,
      fingerprint: 'f'.repeat(64),
      input: { kind: 'inline', json: JSON.stringify(input) },
      expiresAtSeconds: Math.ceil(deadlineAt / 1_000) + 86_400,
    });
    return jobId;
  }

  /** One invocation over these jobs; time passes as its timers need it. */
  async invoke(...jobIds: string[]): Promise<void> {
    await this.settle(this.start(this.deps, ...jobIds));
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

  /** Delivers hints, or sweeps after a pause, `count` times. */
  async rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round++) {
      const isolated = this.queue.receive(1, { isolated: true });
      const hints = isolated.length > 0 ? isolated : this.queue.receive(10);
      if (hints.length > 0) await this.invoke(...hints.map((hint) => hint.jobId));
      else {
        this.clock.jump(10_000);
        await this.settle(sweep(this.deps));
      }
    }
  }

  /** The store of an invocation whose n-th call fails, without having taken effect. */
  failingAt(call: number): EngineDeps {
    let calls = 0;
    return this.withStore((proceed) =>
      ++calls === call ? Promise.reject(new Error('the store did not answer')) : proceed(),
    );
  }

  /** Puts something around every call of the store. */
  withStore(around: (proceed: () => Promise<unknown>) => Promise<unknown>): EngineDeps {
    const jobs = new Proxy(this.deps.jobs, {
      get: (store, name, receiver) => {
        const method: unknown = Reflect.get(store, name, receiver);
        if (typeof method !== 'function') return method;
        const call = method as (...all: unknown[]) => Promise<unknown>;
        return (...args: unknown[]) => around(() => call.apply(store, args));
      },
    });
    return { ...this.deps, jobs };
  }

  /** Statuses of all jobs of an agent, in the order of their creation. */
  statuses(agent: string): string[] {
    return [...this.#latest.values()]
      .filter((job) => job.agent === agent)
      .map(({ status }) => status);
  }

  jobCount(agent: string): number {
    return this.statuses(agent).length;
  }

  /** Whatever waits for a timer now waits for ever, as in an environment that is frozen or gone. */
  freezeTimers(): void {
    this.clock.forgetTimers();
  }

  /** Lets time pass until the work is done. */
  async settle(work: Promise<unknown>): Promise<void> {
    let done = false;
    void work.finally(() => {
      done = true;
    });
    await turns();
    while (!isDone()) {
      if (!this.clock.fireNext())
        throw new Error('the work waits for something that no timer brings');
      await turns();
    }
    await work;

    function isDone(): boolean {
      return done;
    }
  }

  /** Delivers hints and sweeps, as the cloud would, until the job is final. */
  async drive(jobId: string, maxRounds = 200): Promise<Job> {
    for (let round = 0; round < maxRounds; round++) {
      const job = await this.job(jobId);
      if (isFinal(job.status) && job.duties === undefined) return job;
      const isolated = this.queue.receive(1, { isolated: true });
      const hints = isolated.length > 0 ? isolated : this.queue.receive(10);
      if (hints.length > 0) {
        await this.invoke(...hints.map((hint) => hint.jobId));
      } else {
        this.#jumpToNext(job);
        await this.settle(sweep(this.deps));
      }
    }
    throw new Error(`job ${jobId} did not end within ${maxRounds} rounds`);
  }

  /** To the moment when a message becomes ready or the sweeper has a reason to look. */
  #jumpToNext(job: Job): void {
    // What a running job waits for is the end of its lease, which only its manifest knows: the sweeper looks every 10 s.
    const sweepAt = job.status === 'running' ? this.clock.now() + 10_000 : Infinity;
    const moments = [
      sweepAt,
      job.dueAt ?? Infinity,
      ...this.queue.messages.map(({ readyAt }) => readyAt),
    ];
    this.clock.jump(Math.max(1_000, Math.min(...moments) - this.clock.now()));
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
        return JSON.parse(job.result.json) as unknown;
      case 'item':
        return JSON.parse((await this.deps.jobs.getResult(job)) ?? 'null') as unknown;
      case 's3':
        return JSON.parse(await this.deps.payloads.get(job.result)) as unknown;
      default:
        return undefined;
    }
  }
}
