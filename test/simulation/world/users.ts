import { checkSubmission } from '../../../src/core/commands/check-submission.ts';
import { cancelOwnJob, pauseJob, resumeJob } from '../../../src/core/commands/control-job.ts';
import { forkJob } from '../../../src/core/commands/fork-job.ts';
import { restartJob } from '../../../src/core/commands/restart-job.ts';
import { signalJob } from '../../../src/core/commands/signal-job.ts';
import { submitJob } from '../../../src/core/commands/submit-job.ts';
import type { EngineDeps } from '../../../src/core/engine/engine-deps.ts';
import { type JobNotify, NOTIFY_EVENTS } from '../../../src/core/notify/job-notify.ts';
import { isFinal, type Job } from '../../../src/core/job/job.ts';
import { type AgentSpec, SIGNALS } from '../agents/spec.ts';
import type { Ledger, SentSignal } from './ledger.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { SimProcess } from './sim-process.ts';
import type { SimQueue } from './sim-queue.ts';
import type { Storage } from './storage.ts';

export interface UsersOptions {
  readonly scheduler: Scheduler;
  readonly storage: Storage;
  readonly queue: SimQueue;
  readonly random: Random;
  /** Decides who asks for notifications. */
  readonly notifyRandom: Random;
  readonly ledger: Ledger;
  readonly agents: readonly AgentSpec[];
  readonly skewMs: number;
  readonly horizon: number;
  readonly isFair: () => boolean;
  readonly violate: (invariant: string, message: string) => void;
  readonly depsOf: (process: SimProcess) => EngineDeps;
  readonly trace?: ((line: string) => void) | undefined;
}

type Command = (deps: EngineDeps) => Promise<unknown>;

const TENANTS = ['acme', 'globex'] as const;
/** The queue takes the first three. */
const DELAYS_MS = [2_000, 45_000, 600_000, 1_000_000, 7_200_000];
const CLIENT_PATIENCE_MS = 10_000;
const COMMANDS = ['cancel', 'pause', 'resume', 'retry', 'fork', 'signal', 'signal'] as const;
export type CommandName = (typeof COMMANDS)[number];

/** Client programs: they submit jobs and send commands at random moments, again when they get no answer. */
export class Users {
  /** Commands that are under way. */
  pending = 0;
  #count = 0;
  readonly #options: UsersOptions;

  constructor(options: UsersOptions) {
    this.#options = options;
  }

  /** Spreads the submissions and commands of a seed over the time before the horizon. */
  plan({ jobs, commands, burst }: { jobs: number; commands: number; burst: number }): void {
    const { scheduler, random, horizon, queue, ledger, agents } = this.#options;
    const span = horizon - scheduler.now;
    for (let job = 0; job < jobs; job++) {
      this.#at(random.next() ** 2 * span * 0.7, () => {
        this.submit(random.pick(agents));
      });
    }
    this.#at(random.next() * span * 0.7, () => {
      for (let job = burst; job > 0; job--) {
        const spec = agents.at(job === 1 ? -1 : 0);
        if (spec !== undefined) this.submit(spec);
      }
    });
    for (let command = 0; command < commands; command++) {
      this.#at(random.next() * span, () => {
        this.commandAny(random.pick(COMMANDS));
      });
    }
    if (random.chance(0.1)) {
      this.#at(random.next() * span, () => {
        ledger.poison++;
        queue.put(random.pick(['{"v":1', 'null', '{"v":2,"jobId":"job_x"}', '{"v":1,"jobId":7}']));
      });
    }
  }

  submit(spec: AgentSpec): void {
    const { random, ledger } = this.#options;
    const tenantId = random.pick(TENANTS);
    const idempotencyKey = `key-${++this.#count}`;
    const input = { n: random.between(0, 9), padding: 'i'.repeat(spec.inputPadding) };
    const notify = drawNotify(this.#options.notifyRandom);
    const submission = {
      tenantId,
      agent: spec.name,
      input,
      idempotencyKey,
      ...(notify && { notify }),
      ...this.#start(),
    };
    this.#untilAnswered(`submit ${spec.name}`, Infinity, async (deps) => {
      const checked = await checkSubmission(deps, submission);
      if (!checked.valid) throw new Error('the submission is not valid');
      const result = await submitJob({ ...deps, retentionDays: 90 }, checked.submission);
      if (!result.accepted) throw new Error(result.code);
      ledger.accepted.add(result.jobId);
    });
  }

  /** Some jobs are to start later. Without a draw, so that the rest of a seed stays as it is. */
  #start(): { start?: { delayMs: number } } {
    const delayMs = this.#count % 6 === 0 ? DELAYS_MS[(this.#count / 6) % DELAYS_MS.length] : 0;
    return delayMs ? { start: { delayMs } } : {};
  }

  /** A command on some job for which it may make sense. */
  commandAny(name: CommandName): void {
    const { storage, random } = this.#options;
    const fits = (job: Job): boolean => {
      if (name === 'retry') return job.status === 'failed' || job.status === 'cancelled';
      if (name === 'fork') return job.status === 'succeeded';
      if (name === 'resume') return job.paused === true;
      return !isFinal(job.status);
    };
    const all = [...storage.jobs.values()];
    const likely = all.filter(fits);
    const from = likely.length > 0 && random.chance(0.9) ? likely : all;
    if (from.length === 0) return;
    const job = random.pick(from);
    if (random.chance(0.1)) this.#intrude(name, job);
    else this.command(name, job);
  }

  /** The other tenant knows the id of a job, and commands it: it is told that there is none. */
  #intrude(name: CommandName, job: Job): void {
    const { violate } = this.#options;
    const tenantId = TENANTS.find((tenant) => tenant !== job.tenantId) ?? '';
    const own = { jobId: job.jobId, tenantId };
    const fromStep = this.#someStep(job) ?? 'n1';
    const perform = (deps: EngineDeps): Promise<unknown> => {
      switch (name) {
        case 'cancel':
          return cancelOwnJob(deps, own);
        case 'pause':
          return pauseJob(deps, own);
        case 'resume':
          return resumeJob(deps, own);
        case 'retry':
          return restartJob(deps, own);
        case 'fork':
          return forkJob(deps, { ...own, fromStep });
        case 'signal':
          return signalJob(deps, { ...own, name: SIGNALS[0], body: { ok: true } });
      }
    };
    const command = async (deps: EngineDeps): Promise<void> => {
      const result = await perform(deps);
      if (result !== undefined) violate('I8', `${tenantId} was answered by ${job.jobId}`);
    };
    this.#untilAnswered(`${name} ${job.jobId} of another tenant`, 2, command, { isIntruder: true });
  }

  command(name: CommandName, job: Job, more: { fromStep?: string; fits?: boolean } = {}): void {
    const { jobId, tenantId } = job;
    const own = { jobId, tenantId };
    const label = `${name} ${jobId}`;
    switch (name) {
      case 'cancel':
        this.#untilAnswered(label, 4, (deps) => cancelOwnJob(deps, own));
        break;
      case 'pause':
        this.#untilAnswered(label, 4, (deps) => pauseJob(deps, own));
        break;
      case 'resume':
        this.#untilAnswered(label, 4, (deps) => resumeJob(deps, own));
        break;
      case 'retry':
        this.#retry(job, more.fromStep);
        break;
      case 'fork':
        this.#fork(job);
        break;
      case 'signal':
        this.#signal(job, more.fits ?? this.#options.random.chance(0.85));
    }
  }

  #retry(job: Job, givenStep: string | undefined): void {
    const { random } = this.#options;
    const { jobId, tenantId } = job;
    const hint = random.chance(0.5) ? { hint: `hint ${++this.#count}` } : {};
    const fromStep = givenStep ?? (random.chance(0.4) ? this.#someStep(job) : undefined);
    const from = fromStep === undefined ? {} : { fromStep };
    this.#untilAnswered(`retry ${jobId} from ${fromStep ?? 'where it stopped'}`, 4, (deps) =>
      restartJob(deps, { jobId, tenantId, ...hint, ...from }),
    );
  }

  #fork(job: Job): void {
    const { ledger, storage } = this.#options;
    const { jobId, tenantId } = job;
    const fromStep = this.#someStep(job);
    if (fromStep === undefined) return;
    const idempotencyKey = `fork-${++this.#count}`;
    this.#untilAnswered(`fork ${jobId} from ${fromStep}`, 4, async (deps) => {
      const result = await forkJob(deps, { jobId, tenantId, fromStep, idempotencyKey });
      if (result?.outcome !== 'done') return;
      ledger.accepted.add(result.job.jobId);
      ledger.forks.set(result.job.jobId, { from: storage.jobs.get(jobId) ?? job, fromStep });
    });
  }

  /** A signal that nobody has to wait for in vain: after the horizon, whoever waits without an end gets one. */
  signalTo(job: Job, name: string): void {
    this.#signal(job, true, name);
  }

  #signal(job: Job, fits: boolean, name: string = this.#options.random.pick(SIGNALS)): void {
    const { ledger, violate } = this.#options;
    const { jobId, tenantId } = job;
    const signalId = `signal-${++this.#count}`;
    const sent: SentSignal = { jobId, name, signalId, fits, acked: false };
    ledger.signals.push(sent);
    const command = { jobId, tenantId, name, signalId, body: { ok: fits, signalId } };
    this.#untilAnswered(`signal ${name} (${signalId}) ${jobId}`, 4, async (deps) => {
      const result = await signalJob(deps, command);
      if (result?.outcome === 'done') sent.acked = true;
      if (result?.outcome === 'refused' && !isFinal(result.job.status))
        violate('I1', `${jobId} refused a signal although it was ${result.job.status}`);
    });
  }

  /** A step that the journal of the job names. */
  #someStep(job: Job): string | undefined {
    const { storage, random } = this.#options;
    const pages = storage.pages.get(job.jobId) ?? [];
    const ids = pages.flatMap(({ entries }) =>
      entries.flatMap((entry) => ('stepId' in entry ? [entry.stepId] : [])),
    );
    return ids.length === 0 ? undefined : random.pick(ids);
  }

  #at(afterMs: number, act: () => void): void {
    const { scheduler } = this.#options;
    scheduler.in(Math.round(afterMs), act);
  }

  /** Every try is an execution environment of its own, which may die; the client hears nothing then. */
  #untilAnswered(what: string, tries: number, command: Command, { isIntruder = false } = {}): void {
    const { scheduler, random, skewMs, depsOf, trace } = this.#options;
    this.pending++;
    const attempt = (left: number): void => {
      const process = new SimProcess(scheduler, {
        role: 'user',
        name: `U${++this.#count}`,
        skewMs: random.between(-skewMs, skewMs),
      });
      process.isIntruder = isIntruder;
      trace?.(`${process.name} ${what}`);
      let isOver = false;
      const end = (again: boolean): void => {
        if (isOver) return;
        isOver = true;
        cancel();
        if (again && left > 1)
          scheduler.in(random.between(500, 5_000), () => {
            attempt(left - 1);
          });
        else this.pending--;
      };
      const cancel = scheduler.in(CLIENT_PATIENCE_MS, () => {
        end(true);
      });
      command(depsOf(process)).then(
        () => {
          end(false);
        },
        (error: unknown) => {
          trace?.(`${process.name} gets an error: ${String(error)}`);
          end(true);
        },
      );
    };
    attempt(tries);
  }
}

/** Half of the jobs have somebody who wants to hear of them, of all or of some of what happens. */
function drawNotify(random: Random): JobNotify | undefined {
  if (random.chance(0.5)) return undefined;
  const url = 'https://receiver.example/';
  if (random.chance(0.6)) return { url };
  const events = NOTIFY_EVENTS.filter(() => random.chance(0.5));
  return events.length === 0 ? undefined : { url, events };
}
