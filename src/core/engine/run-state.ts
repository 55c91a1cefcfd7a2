import type { Agent } from '../../agent/define-agent.ts';
import type { Job, StoredError, WaitReason } from '../job/job.ts';
import { durationBound } from '../policy/job-limits.ts';
import { LIMITS } from '../policy/limits.ts';
import { cleanUpEndsAt, cleanUpExceeded } from './clean-up.ts';
import { Activity, type Park } from './activity.ts';
import type { EngineDeps, Invocation } from './engine-deps.ts';
import { Gate } from './gate.ts';
import type { JournalView } from './journal-view.ts';
import type { JournalWriter } from './journal-writer.ts';
import { type Moment, ReleaseOrder } from './release-order.ts';
import type { ChildOutcome } from '../job/child-outcome.ts';
import type { ReceivedSignal } from '../job/signal.ts';

/** Why a slice of a job ended before `run` did. */
export type Interruption =
  | {
      readonly kind: 'suspend';
      readonly reason: WaitReason;
      readonly waitingOn?: string;
      readonly wakeAt?: number;
      readonly joinPending?: number;
      /** Waits for a signal, of all branches. */
      readonly signalWaits: readonly SignalWait[];
    }
  /** A user's command is to be obeyed: the job is looked at again. */
  | { readonly kind: 'obey' }
  | { readonly kind: 'continue' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'fault'; readonly error: unknown }
  | Limit;

/** What a run may not exceed, and did. */
export interface Limit {
  readonly kind: 'limit';
  readonly code: 'steps_exceeded' | 'duration_exceeded' | 'journal_too_large' | 'clean_up_exceeded';
  readonly message: string;
}

/** A branch that waits for a signal. */
export interface SignalWait {
  readonly stepId: string;
  readonly name: string;
  readonly until?: number;
}

/** What a run is about. */
export interface RunSubject {
  readonly job: Job;
  readonly agent: Agent;
  readonly view: JournalView;
  readonly signals: readonly ReceivedSignal[];
  readonly children: readonly ChildOutcome[];
  readonly obeying: boolean;
}

/** What is known of a step that failed for good, when its error comes out of the agent again. */
export interface StepFailure {
  readonly stepId: string;
  readonly attempt: number;
  readonly tries: number;
  /** More tries were useless; not: they were used up. */
  readonly terminal: boolean;
  readonly error: StoredError;
}

/**
 * One slice of one job while it runs: what its steps share. It ends once, by `interrupt` or when `run` settles, and from
 * then on no step starts and nothing settles in the agent.
 */
export class RunState {
  readonly deps: EngineDeps;
  readonly invocation: Invocation;
  readonly job: Job;
  readonly agent: Agent;
  readonly view: JournalView;
  readonly activity: Activity;
  readonly releases: ReleaseOrder;
  readonly interrupted: Promise<Interruption>;
  /** Fires when running steps must stop: lost lease, end of the slice, end of the run. */
  readonly signal: AbortSignal;
  /** Steps whose final failure was thrown into the agent, by error object. */
  readonly failures = new WeakMap<object, StepFailure>();
  /** JSON text of outcomes stored outside the journal that this slice already holds. */
  readonly payloadCache = new WeakMap<object, string>();
  readonly usedIds = new Set<string>();
  /** Steps that are making their sub-job. */
  readonly spawning = new Set<string>();
  /** Through which they go to the store. */
  readonly spawns = new Gate(LIMITS.spawnsAtOnce);
  /** Signals that a wait has taken and not yet recorded. */
  readonly takenSignals = new Set<string>();
  signals: readonly ReceivedSignal[];
  childOutcomes: ReadonlyMap<string, ChildOutcome>;
  /** Wake-ups as last seen: a later one refuses the suspend. */
  wakeups: number;
  /** Whether this run is the clean-up after a cancel. */
  readonly obeying: boolean;
  /** Until when it may take: the job's deadline, or the end of its clean-up. */
  readonly endsAt: number;
  /** Steps begun and not settled. */
  readonly openSteps = new Set<string>();
  /** Steps that may start or run here and that the journal does not know yet. */
  readonly newSteps = new Set<string>();
  /** Whether environments died with this job and no page has been added since. */
  afterCrash: boolean;
  /** The reset of their count, once it is under way. */
  crashesCounted: Promise<void> | undefined;
  journal!: JournalWriter;
  /** What failed in the infrastructure, also when the run had ended before. */
  fault: { readonly error: unknown } | undefined;
  startedSteps = 0;
  readonly startedAt: number;
  /** Pages this run has added. */
  pages = 0;
  progressCalls = 0;
  readonly #abort = new AbortController();
  readonly #cancelTimers: (() => void)[] = [];
  readonly #lose = (): void => {
    this.interrupt({ kind: 'lost' });
  };
  #resolve!: (interruption: Interruption) => void;
  #ended = false;
  #interrupted = false;

  constructor(deps: EngineDeps, invocation: Invocation, subject: RunSubject) {
    this.deps = deps;
    this.startedAt = deps.clock.now();
    this.invocation = invocation;
    this.job = subject.job;
    this.agent = subject.agent;
    this.view = subject.view;
    this.afterCrash = subject.job.crashes > 0;
    this.signals = subject.signals;
    this.childOutcomes = byChildId(subject.children);
    this.wakeups = subject.job.wakeups;
    this.obeying = subject.obeying;
    this.endsAt = subject.obeying
      ? cleanUpEndsAt(subject.job, subject.agent)
      : subject.job.deadlineAt;
    this.signal = this.#abort.signal;
    this.interrupted = new Promise((resolve) => {
      this.#resolve = resolve;
    });
    this.releases = new ReleaseOrder(deps.clock);
    this.activity = new Activity(deps.clock, (parks) => {
      this.interrupt(decideIdle(parks));
    });
    this.#endInTime();
    // A signal that has fired tells nobody who listens later: the lease may be lost while the job is loaded.
    if (invocation.leaseLost.aborted) this.#lose();
    else invocation.leaseLost.addEventListener('abort', this.#lose);
  }

  get hasEnded(): boolean {
    return this.#ended;
  }

  /** Whether it ended before `run` did. The agent is left where it is: nothing it starts settles, and it need not know. */
  get wasInterrupted(): boolean {
    return this.#interrupted;
  }

  interrupt(interruption: Interruption): void {
    if (interruption.kind === 'fault') this.fault ??= interruption;
    if (this.#ended) return;
    this.#interrupted = true;
    this.end();
    this.#resolve(interruption);
  }

  /** Nothing of this run moves any more. */
  end(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.activity.stop();
    this.releases.stop();
    for (const cancel of this.#cancelTimers) cancel();
    // The invocation may go on for minutes and must not hold what this job has read.
    this.invocation.leaseLost.removeEventListener('abort', this.#lose);
    this.#abort.abort(new Error('the job does not run here any more'));
  }

  /** Ends the run for a reason; the caller's branch never settles. */
  never(interruption: Interruption): Promise<never> {
    this.interrupt(interruption);
    return new Promise(() => undefined);
  }

  /** A failure of the infrastructure is none of the agent: the run ends, and another attempt tries. */
  async guard<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      return this.never({ kind: 'fault', error });
    }
  }

  /** Looks at the job while it runs: obeys commands, and lets branches that wait see what has come. */
  async refresh(): Promise<void> {
    const { jobs } = this.deps;
    const { jobId } = this.job;
    const job = await jobs.getJob(jobId);
    if (
      this.hasEnded ||
      job === undefined ||
      this.meetCommands(job) ||
      job.wakeups === this.wakeups
    )
      return;
    const [signals, children] = await Promise.all([
      jobs.listSignals(jobId),
      jobs.listChildOutcomes(jobId),
    ]);
    // A run that lets go meanwhile has not seen them: by the new count it would leave them to nobody.
    if (this.#ended) return;
    this.signals = signals;
    this.childOutcomes = byChildId(children);
    // The count from before the look: what came after it is not seen yet.
    this.wakeups = job.wakeups;
    this.activity.wake('signal', 'children');
  }

  /** Whether a command of a user ended the run. */
  meetCommands(job: Job): boolean {
    const commanded = job.cancelRequestedAt !== undefined || job.paused === true;
    if (!commanded || this.obeying) return false;
    this.interrupt({ kind: 'obey' });
    return true;
  }

  /** The limit that has been reached when the time of the run is over. */
  timeLimit(now: number): Limit | undefined {
    if (now < this.endsAt) return undefined;
    if (this.obeying) {
      const { message } = cleanUpExceeded(this.job, this.agent);
      return { kind: 'limit', code: 'clean_up_exceeded', message };
    }
    const { value, of } = durationBound(this.job, this.agent);
    const message = `the job reached its limit of ${value} ms (limits.maxDuration of the ${of})`;
    return { kind: 'limit', code: 'duration_exceeded', message };
  }

  /** Waits until it is the turn of something settled, in the order of the journal; gives what was prepared for it. */
  turnOf(moment: Moment): Promise<void>;
  turnOf<T>(moment: Moment, prepare: () => Promise<T>): Promise<T>;
  turnOf(moment: Moment, prepare: () => Promise<unknown> = atHand): Promise<unknown> {
    return this.activity.run(() => this.releases.turnOf(moment, prepare));
  }

  /** The time by the clock or by the journal, which does not go back: the clock of the worker before may have been ahead. */
  now(): number {
    return Math.max(this.deps.clock.now(), this.view.clockAt);
  }

  /** Waits for an instant: in place when it is near, else parked, so that the job may suspend. */
  async waitUntil(at: number, reason: WaitReason): Promise<void> {
    const delayMs = at - this.deps.clock.now();
    if (delayMs <= 0) return;
    if (delayMs > LIMITS.inPlaceWaitMs) return this.activity.park({ reason, wakeAt: at });
    await this.activity.run(
      () =>
        new Promise<void>((resolve) => {
          this.#cancelTimers.push(this.deps.clock.setTimer(delayMs, resolve));
        }),
    );
  }

  /** At the end of the slice, or of the job's time, running steps are stopped; an agent that then still holds on is left behind. */
  #endInTime(): void {
    const { sliceEndsAt } = this.invocation;
    this.#at(sliceEndsAt, () => {
      this.interrupt({ kind: 'continue' });
    });
    if (this.endsAt >= sliceEndsAt) return;
    this.#at(this.endsAt, () => {
      const limit = this.timeLimit(this.endsAt);
      if (limit !== undefined) this.interrupt(limit);
    });
  }

  #at(instant: number, act: () => void): void {
    const { clock } = this.deps;
    this.#cancelTimers.push(clock.setTimer(Math.max(0, instant - clock.now()), act));
  }
}

const atHand = (): Promise<void> => Promise.resolve();

/** What a job does when all of its branches are parked: one that needs the next slice decides, else the earliest timer. */
function decideIdle(parks: readonly Park[]): Interruption {
  let earliest: Park | undefined;
  let joinPending: number | undefined;
  for (const park of parks) {
    if (park.reason === 'slice') return { kind: 'continue' };
    if (park.missing !== undefined) joinPending = Math.min(joinPending ?? Infinity, park.missing);
    if (earliest === undefined || (park.wakeAt ?? Infinity) < (earliest.wakeAt ?? Infinity))
      earliest = park;
  }
  if (earliest === undefined || earliest.reason === 'slice') return { kind: 'continue' };
  return {
    kind: 'suspend',
    reason: earliest.reason,
    ...(earliest.waitingOn === undefined ? {} : { waitingOn: earliest.waitingOn }),
    ...(earliest.wakeAt === undefined ? {} : { wakeAt: earliest.wakeAt }),
    ...(joinPending === undefined ? {} : { joinPending }),
    signalWaits: parks.flatMap(signalWaitOf),
  };
}

function signalWaitOf({ stepId, waitingOn: name, wakeAt }: Park): SignalWait[] {
  if (stepId === undefined || name === undefined) return [];
  return [{ stepId, name, ...(wakeAt === undefined ? {} : { until: wakeAt }) }];
}

function byChildId(outcomes: readonly ChildOutcome[]): ReadonlyMap<string, ChildOutcome> {
  return new Map(outcomes.map((outcome) => [outcome.childId, outcome]));
}
