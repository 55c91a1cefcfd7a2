import { type CloudOptions, isOver, MemoryCloud } from '../../src/agent/testing/memory-cloud.ts';
import type { Agent } from '../../src/agent/define-agent.ts';
import type { EngineDeps } from '../../src/core/engine/engine-deps.ts';
import type { Job } from '../../src/core/job/job.ts';

export type WorldOptions = Omit<CloudOptions, 'patienceMs'>;

/** The cloud of the test kit, with what only tests of the engine do to it. */
export class EngineWorld extends MemoryCloud {
  #submitted = 0;

  constructor(agents: readonly Agent[], options: WorldOptions = {}) {
    // Steps of these tests wait for the virtual clock, or for ever.
    super(agents, { ...options, patienceMs: 0 });
  }

  /** Puts a job as the submit command would, without a hint. */
  async submit(agent: string, input: unknown = {}, parts: Partial<Job> = {}): Promise<string> {
    const now = this.clock.now();
    const jobId = `job_${String(++this.#submitted).padStart(26, '0')}`;
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
      ...parts,
    });
    return jobId;
  }

  /** Delivers hints, or sweeps after a pause, `count` times. */
  async rounds(count: number): Promise<void> {
    for (let round = 0; round < count; round++) {
      if (await this.deliver()) continue;
      this.clock.jump(10_000);
      await this.sweep();
    }
  }

  /** Delivers hints and sweeps, as the cloud would, until the job is final. */
  async drive(jobId: string, maxRounds = 200): Promise<Job> {
    for (let round = 0; round < maxRounds; round++) {
      const job = await this.job(jobId);
      if (isOver(job)) return job;
      if (await this.deliver()) continue;
      this.#jumpToNext(job);
      await this.sweep();
    }
    throw new Error(`job ${jobId} did not end within ${maxRounds} rounds`);
  }

  /** To the moment when a message becomes ready or the sweeper has a reason to look. */
  #jumpToNext(job: Job): void {
    // What a running job waits for is the end of its lease, which only its manifest knows: the sweeper looks every 10 s.
    const sweepAt = job.status === 'running' ? this.clock.now() + 10_000 : Infinity;
    const next = Math.min(sweepAt, this.nextMoment());
    this.clock.jump(Math.max(1_000, next - this.clock.now()));
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
    return this.jobs.filter((job) => job.agent === agent).map(({ status }) => status);
  }

  jobCount(agent: string): number {
    return this.statuses(agent).length;
  }

  /** Whatever waits for a timer now waits for ever, as in an environment that is frozen or gone. */
  freezeTimers(): void {
    this.clock.forgetTimers();
  }
}
