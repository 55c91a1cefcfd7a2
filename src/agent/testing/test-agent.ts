import { checkSubmission } from '../../core/commands/check-submission.ts';
import { submitJob } from '../../core/commands/submit-job.ts';
import { refusalOf } from '../../core/engine/deployed-agent.ts';
import { sliceOf } from '../../core/engine/slice.ts';
import { AppError } from '../../errors.ts';
import type { Agent } from '../define-agent.ts';
import { type Duration, durationMs } from '../duration.ts';
import type { CrashMoment, CrashPoint, StepFailureOptions } from './faults.ts';
import { type CloudOptions, MemoryCloud } from './memory-cloud.ts';
import { TestJob } from './test-job.ts';

/** How `testAgent` plays the world around an agent. */
export interface TestAgentOptions {
  /** Agents that it spawns. */
  readonly agents?: readonly Agent[];
  /**
   * `'always'`: after each page that is recorded the worker is replaced, and `run` is replayed from the top. What `run` does
   * outside of steps is then done again and again, and shows.
   * Default `'needed'`: only after waits and crashes.
   */
  readonly replay?: 'always' | 'needed';
  /** How long an invocation of the worker may take, as `worker.timeoutSeconds` of the deployment. Default `'300s'`. */
  readonly invocation?: Duration;
  /** After so many invocations in a row, without time passing, a job counts as endless. Default 10,000. */
  readonly maxInvocations?: number;
  /** Real time after which a step that is still running counts as hung. Default `'1s'`. */
  readonly patience?: Duration;
}

const TENANT = 'test';

/**
 * An agent in memory, with a clock that only the test moves.
 * @throws AppError `step_timeout_too_long` when a worker with time slices of that length would refuse one of the agents.
 * @example
 * const test = testAgent(refundApproval);
 * const job = await test.submit({ orderId: 'o-1', amountCents: 1_250 });
 * expect(await job.run()).toMatchObject({ status: 'waiting', waitingFor: 'signal' });
 * await job.signal('decision', { approved: true });
 * expect(await job.end()).toMatchObject({ status: 'succeeded' });
 */
export function testAgent(agent: Agent, options: TestAgentOptions = {}): AgentTest {
  return new AgentTest(agent, options);
}

/** An agent under test and the world around it: its jobs, its clock, and what is to go wrong. */
export class AgentTest {
  readonly #agent: Agent;
  readonly #cloud: MemoryCloud;
  #submitted = 0;

  constructor(agent: Agent, options: TestAgentOptions) {
    const agents = [agent, ...(options.agents ?? [])];
    for (const each of agents) refuse(each, options);
    this.#agent = agent;
    this.#cloud = new MemoryCloud(agents, cloudOptions(options));
  }

  /** Virtual time, epoch milliseconds. */
  get now(): number {
    return this.#cloud.clock.now();
  }

  /** Entries that all jobs together have recorded. */
  get entries(): number {
    return this.#cloud.faults.entries;
  }

  /** Pages that all jobs together have recorded: as often the worker may be made to crash. */
  get pages(): number {
    return this.#cloud.faults.pages;
  }

  /** Crashes that were planned and have not happened. */
  get unreachedCrashes(): readonly CrashPoint[] {
    return this.#cloud.faults.unreached;
  }

  /**
   * Submits a job, as `POST /jobs` does; it does nothing before it is let run.
   * @throws AppError `invalid_input` naming each fault of the input.
   */
  async submit(input: unknown): Promise<TestJob> {
    const { deps } = this.#cloud;
    const checked = await checkSubmission(deps, {
      tenantId: TENANT,
      agent: this.#agent.name,
      input,
      // Job ids and idempotency keys follow from it, so that they are the same each time the test runs.
      idempotencyKey: `submit-${++this.#submitted}`,
    });
    if (!checked.valid) throw refused(checked);
    const submitted = await submitJob({ ...deps, retentionDays: 1 }, checked.submission);
    if (!submitted.accepted) throw new Error('a new key was taken for another');
    return new TestJob(this.#cloud, { jobId: submitted.jobId, tenantId: TENANT });
  }

  /** Lets time pass, and everything happen that is due meanwhile. */
  async advance(duration: Duration): Promise<void> {
    await this.#cloud.advanceTo(this.now + durationMs(duration));
  }

  /** Lets tries of a step fail instead of running; of any job that has a step of this id. */
  failStep(stepId: string, options: StepFailureOptions = {}): void {
    this.#cloud.faults.failStep(stepId, options);
  }

  /** Kills the worker just before or after it records what comes of a step. Once; the next attempt is left alone. */
  crashWorker(when: CrashMoment, at: { readonly step: string } | { readonly page: number }): void {
    this.#cloud.faults.crash({ when, ...at });
  }
}

/** A worker would let the jobs wait; a test can say at once what is wrong. */
function refuse(agent: Agent, { invocation = '300s' }: TestAgentOptions): void {
  const { sliceMs } = sliceOf(durationMs(invocation));
  const refusal = refusalOf(agent, sliceMs);
  if (refusal !== undefined) throw refusal;
}

function cloudOptions(options: TestAgentOptions): CloudOptions {
  const { replay = 'needed', invocation = '300s', patience = '1s' } = options;
  return {
    isReplacedAfterEachPage: replay === 'always',
    invocationMs: durationMs(invocation),
    patienceMs: durationMs(patience),
    ...(options.maxInvocations === undefined ? {} : { maxInvocations: options.maxInvocations }),
  };
}

function refused(
  check: Extract<Awaited<ReturnType<typeof checkSubmission>>, { valid: false }>,
): AppError {
  const faults = check.code === 'invalid_input' ? check.faults : [];
  const texts = faults.map(({ path, message }) => `/${path.map(String).join('/')}: ${message}`);
  return new AppError(`the submission is refused: ${check.code} ${texts.join('; ')}`, {
    code: check.code,
    details: { faults: texts },
  });
}
