import { cancelOwnJob, pauseJob, resumeJob } from '../../core/commands/control-job.ts';
import { restartJob } from '../../core/commands/restart-job.ts';
import { signalJob } from '../../core/commands/signal-job.ts';
import type { Job, JobError, JobStatus, WaitReason } from '../../core/job/job.ts';
import { assertGolden } from './golden-history.ts';
import { describeEntry, signatures } from './history.ts';
import { isOver, type MemoryCloud } from './memory-cloud.ts';

/** Where a job stands. */
export interface TestJobState {
  readonly status: JobStatus;
  readonly waitingFor?: WaitReason;
  /** Leased tries to advance the job so far. */
  readonly attempts: number;
  readonly progress?: {
    readonly completed?: number;
    readonly total?: number;
    readonly message?: string;
  };
  readonly result?: unknown;
  readonly error?: JobError;
}

/** For `TestJob.signal`. */
export interface TestSignalOptions {
  /** Two signals with one id are one. Default: derived from the body. */
  readonly signalId?: string;
}

/** One job of an agent under test. What it does, it does when `run`, `advance` or `end` let it. */
export class TestJob {
  readonly jobId: string;
  readonly #cloud: MemoryCloud;
  readonly #tenantId: string;

  constructor(cloud: MemoryCloud, job: { readonly jobId: string; readonly tenantId: string }) {
    this.#cloud = cloud;
    this.jobId = job.jobId;
    this.#tenantId = job.tenantId;
  }

  /** Runs all jobs as far as they come without time passing, and tells where this one stands. */
  async run(): Promise<TestJobState> {
    await this.#cloud.runReady();
    return this.state();
  }

  /**
   * Lets time pass until the job is final, and tells how it ended.
   * @throws Error when it waits for a signal without a timeout: send it first.
   */
  async end(): Promise<TestJobState> {
    for (;;) {
      await this.#cloud.runReady();
      const job = await this.#cloud.job(this.jobId);
      if (isOver(job)) return this.state();
      refuseEndless(job);
      await this.#cloud.advanceTo(this.#cloud.nextMoment());
    }
  }

  async state(): Promise<TestJobState> {
    const job = await this.#cloud.job(this.jobId);
    const { status, waitingFor, epoch, error } = job;
    const progress = job.totals?.progress ?? (await this.#progress());
    const result = await this.#cloud.result(this.jobId);
    return {
      status,
      attempts: epoch,
      ...(waitingFor === undefined ? {} : { waitingFor }),
      ...(progress === undefined ? {} : { progress }),
      ...(result === undefined ? {} : { result }),
      ...(error === undefined ? {} : { error }),
    };
  }

  /** Sends a signal, as `POST /jobs/{jobId}/signals/{name}` does. */
  async signal(name: string, body: unknown, options: TestSignalOptions = {}): Promise<void> {
    const command = { ...this.#own(), name, body, ...options };
    expectDone('signal', await signalJob(this.#cloud.deps, command));
  }

  async cancel(): Promise<void> {
    expectDone('cancel', await cancelOwnJob(this.#cloud.deps, this.#own()));
  }

  async pause(): Promise<void> {
    expectDone('pause', await pauseJob(this.#cloud.deps, this.#own()));
  }

  async resume(): Promise<void> {
    expectDone('resume', await resumeJob(this.#cloud.deps, this.#own()));
  }

  /** Lets a failed or cancelled job go on: where it stopped, or from a step, with a hint if one is given. */
  async retry(options: { readonly fromStep?: string; readonly hint?: string } = {}): Promise<void> {
    expectDone('retry', await restartJob(this.#cloud.deps, { ...this.#own(), ...options }));
  }

  /** What is recorded, a line for each entry: `step.succeeded draft`, `wait.started decision`. */
  async history(): Promise<string[]> {
    return (await this.#cloud.entries(this.jobId)).map(describeEntry);
  }

  /** Ids of the steps that succeeded, in the order in which they were recorded. */
  async steps(): Promise<string[]> {
    const entries = await this.#cloud.entries(this.jobId);
    return entries.flatMap((entry) => (entry.type === 'step.succeeded' ? [entry.stepId] : []));
  }

  /** Sub-jobs, in the order in which they were spawned. */
  async children(): Promise<TestJob[]> {
    const entries = await this.#cloud.entries(this.jobId);
    return entries.flatMap((entry) =>
      entry.type === 'child.spawned'
        ? [new TestJob(this.#cloud, { jobId: entry.childId, tenantId: this.#tenantId })]
        : [],
    );
  }

  /**
   * Compares steps and result with a golden history, a `*.history.json`; `UPDATE_HISTORY=1` records it anew.
   * @throws AssertionError when they differ, or when there is no such file.
   */
  async assertHistory(file: URL): Promise<void> {
    const steps = signatures(await this.#cloud.entries(this.jobId));
    assertGolden(file, { steps, result: (await this.state()).result });
  }

  async #progress(): Promise<TestJobState['progress']> {
    const history = await this.#cloud.deps.jobs.loadHistory(this.jobId);
    return history.pages.at(-1)?.totals.progress;
  }

  #own(): { jobId: string; tenantId: string } {
    return { jobId: this.jobId, tenantId: this.#tenantId };
  }
}

function expectDone(
  what: string,
  result: { readonly outcome: string; readonly steps?: readonly string[] } | undefined,
): void {
  if (result?.outcome === 'done') return;
  const steps = result?.steps === undefined ? '' : `: its steps are ${result.steps.join(', ')}`;
  throw new Error(`${what} was refused: ${result?.outcome ?? 'there is no such job'}${steps}`);
}

function refuseEndless({ jobId, waitingFor, wakeAt, paused }: Job): void {
  if (paused === true) throw new Error(`job ${jobId} is paused: resume it before its end`);
  if (waitingFor !== 'signal' || wakeAt !== undefined) return;
  throw new Error(`job ${jobId} waits for a signal without a timeout: send the signal first`);
}
