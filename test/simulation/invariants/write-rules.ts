import { isBeforeStart, isFinal, type Job } from '../../../src/core/job/job.ts';
import { isCommand, type JournalPage } from '../../../src/core/job/journal.ts';
import type { Delivery } from '../../../src/core/notify/delivery.ts';
import type { SliceManifest } from '../../../src/core/job/slice-manifest.ts';
import type { DeadLetter } from '../../../src/core/ports/job-queue.ts';
import { checkDelivery, checkWaitTold } from './notification-rules.ts';
import type { AgentInput } from '../agents/interpret.ts';
import type { Ledger } from '../world/ledger.ts';
import type { SimProcess } from '../world/sim-process.ts';
import type { WriteWatcher } from '../world/storage.ts';

export type Violate = (invariant: string, message: string) => void;

/** Checks each write at the moment it takes effect: what must hold of every state, and who may bring it about. */
export class WriteRules implements WriteWatcher {
  /** Called with each `dueAt` that is written. */
  onDue: (at: number) => void = () => undefined;
  /** Workers by name. */
  readonly processes = new Map<string, SimProcess>();
  situation: () => { now: number; leaseMs: number; skewMs: number } = () => ({
    now: 0,
    leaseMs: 0,
    skewMs: 0,
  });
  /** Whether the clean-up of a job has recorded something. */
  isCleaningUp: (job: Job) => boolean = () => false;
  deliveriesOf: (jobId: string) => Delivery[] = () => [];
  allJobs: () => Iterable<Job> = () => [];
  /** Unfinished sub-jobs that the journal of a job names and that are to be cancelled with it. */
  openChildren: (job: Job) => Job[] = () => [];
  readonly #pages = new Map<string, string>();
  /** By job: the last owner that has added a page. */
  readonly #authors = new Map<string, string>();
  readonly #lastSeqs = new Map<string, number>();
  readonly #ledger: Ledger;
  readonly #violate: Violate;

  constructor(ledger: Ledger, violate: Violate) {
    this.#ledger = ledger;
    this.#violate = violate;
  }

  jobWritten(by: SimProcess, before: Job | undefined, after: Job): void {
    this.#checkTenant(by, after.jobId);
    this.#ledger.writes++;
    if (after.dueAt !== undefined) this.onDue(after.dueAt);
    this.#checkState(after);
    if (before === undefined) {
      this.#noteChild(by, after);
      return;
    }
    this.#countCrashes(before, after);
    this.#checkSuspend(before, after);
    if (before.status === 'running')
      checkWaitTold(after, {
        deliveries: this.deliveriesOf(after.jobId),
        violate: this.#violate,
      });
    this.#checkReclaim(by, before, after);
    this.#checkChildrenDuty(before, after);
    this.#checkWriter(by, before, after);
    this.#checkFinal(before, after);
    if (before.status === 'running' && after.status !== 'running' && ownerOf(before) === by.name)
      by.released.add(after.jobId);
    if (isClaim(before, after)) {
      by.claims.set(after.jobId, after.generation);
      this.processes.set(by.name, by);
      this.#ledger.claims.set(`${by.name} ${after.jobId}`, this.#ledger.writes);
      this.#checkClaim(by, before);
    }
    if (isBeforeStart(before)) this.#checkStart(before, after);
    if (isFinal(after.status) && !isFinal(before.status)) this.#noteFinal(after);
    if (before.paused === true && after.paused !== true) this.#notePauseEnd(after);
    if (before.cancelRequestedAt === undefined && after.cancelRequestedAt !== undefined)
      this.#ledger.cancels.set(`${after.jobId} g${after.generation}`, after.epoch);
  }

  deliveryWritten(by: SimProcess, delivery: Delivery): void {
    this.#checkTenant(by, delivery.jobId);
    if (delivery.dueAt !== undefined) this.onDue(delivery.dueAt);
    const final = this.#ledger.finals.get(delivery.jobId)?.get(delivery.generation);
    checkDelivery(delivery, { final, violate: this.#violate });
  }

  signalWritten(by: SimProcess, jobId: string): void {
    this.#checkTenant(by, jobId);
  }

  pageWritten(by: SimProcess, page: JournalPage, job: Job | undefined): void {
    this.#checkTenant(by, page.jobId);
    this.#ledger.pageNumbers.set(page, ++this.#ledger.writes);
    if (job === undefined) this.#ledger.copies.add(page);
    else this.#noteEntries(by, page, job);
    const journal = `${page.jobId} g${page.generation}`;
    const place = `${journal} #${page.seq}`;
    const text = JSON.stringify([page.entries, page.totals]);
    const there = this.#pages.get(place);
    if (there === text) return;
    // Whoever held a job may later be the worker of its parent, and ask it to end.
    const isWork = !page.entries.every(isCommand);
    if (isWork && job?.status === 'running' && by.role === 'worker') this.#checkAuthor(by, job);
    if (there !== undefined) this.#violate('I2', `page ${place} was written twice`);
    const last = this.#lastSeqs.get(journal) ?? 0;
    // The first page of a new generation is the user's command's, which may come late or not at all.
    if (page.seq !== last + 1) this.#violate('I2', `page ${place} follows #${last}`);
    this.#pages.set(place, text);
    this.#lastSeqs.set(journal, page.seq);
  }

  manifestWritten(by: SimProcess, invocationId: string, manifest: SliceManifest | undefined): void {
    const owner = this.processes.get(nameOf(invocationId));
    if (manifest === undefined && owner !== undefined && owner !== by)
      owner.lostAt = Math.min(owner.lostAt, this.situation().now);
    if (manifest === undefined && owner === by) this.#checkForgotten(invocationId);
    if (manifest === undefined) return;
    this.onDue(manifest.leaseExpiresAt);
    if (by.role === 'worker') by.batch = manifest.jobIds.length;
  }

  /** What one tenant asks for changes nothing of another. */
  #checkTenant(by: SimProcess, jobId: string): void {
    if (by.isIntruder)
      this.#violate('I8', `${by.name} changed ${jobId}, which is another tenant's`);
  }

  /** Once the owner has added a page, nobody who held the job before can. */
  #checkAuthor(by: SimProcess, job: Job): void {
    const owner = ownerOf(job);
    if (owner === by.name) this.#authors.set(job.jobId, job.owner ?? '');
    else if (by.claims.has(job.jobId) && this.#authors.get(job.jobId) === job.owner)
      this.#violate('I4', `${by.name} added to the journal of ${job.jobId}, which ${owner} holds`);
  }

  /** Whoever ends has let go of all its jobs, unless it cannot know that it has claimed one. */
  #checkForgotten(invocationId: string): void {
    for (const { jobId, owner, status } of this.allJobs()) {
      if (status === 'running' && owner === invocationId && !this.#ledger.unsureClaims.has(owner))
        this.#violate('I1', `${nameOf(owner)} ended and left ${jobId} running`);
    }
  }

  letterSent(letter: DeadLetter, job: Job | undefined): void {
    this.#ledger.letters.push(letter);
    const ended = this.#ledger.finals.get(letter.jobId)?.get(letter.generation);
    if (ended?.deadLettered !== true)
      this.#violate(
        'I7',
        `a dead letter of ${letter.jobId} came while it was ${job?.status ?? 'gone'}`,
      );
  }

  /** The due index is the only recovery there is: nothing unfinished may be missing from it, at any moment. */
  #checkState(job: Job): void {
    const owes = job.duties !== undefined;
    if (job.duties?.length === 0) this.#violate('I6', `${job.jobId} has an empty list of duties`);
    if (!isFinal(job.status)) {
      if (job.dueAt === undefined)
        this.#violate('I1', `${job.jobId} is ${job.status} without dueAt`);
      this.#checkDue(job);
      if (owes) this.#violate('I6', `${job.jobId} is ${job.status} and has duties`);
      if ((job.status === 'running') !== (job.owner !== undefined))
        this.#violate('I4', `${job.jobId} is ${job.status}, its owner is ${job.owner ?? 'nobody'}`);
      return;
    }
    if (owes && job.dueAt === undefined)
      this.#violate('I6', `${job.jobId} has open duties (${job.duties.join()}) without dueAt`);
    if (!owes && job.dueAt !== undefined)
      this.#violate('I3', `${job.jobId} is ${job.status} without duties and keeps its dueAt`);
    for (const name of ['owner', 'ownerUntil', 'wakeAt', 'paused'] as const) {
      if (job[name] !== undefined)
        this.#violate('I3', `${job.jobId} is ${job.status} and keeps ${name}`);
    }
  }

  /** Somebody looks at the job again in time, also when every message is lost. */
  #checkDue({ jobId, status, dueAt = 0, wakeAt = Infinity, deadlineAt, paused }: Job): void {
    const { now, skewMs } = this.situation();
    const soon = now + 2 * skewMs + (status === 'waiting' && paused !== true ? 60_000 : 3_660_000);
    const latest = status === 'waiting' ? Math.max(soon, Math.min(wakeAt, deadlineAt)) : soon;
    if (dueAt > latest)
      this.#violate('I1', `${jobId} is ${status} and due ${dueAt - latest} ms too late`);
  }

  /** Nobody goes to sleep on a command; only a clean-up waits although a cancel is pending. */
  #checkSuspend(before: Job, after: Job): void {
    if (before.status !== 'running' || after.status !== 'waiting') return;
    if (after.paused === true) this.#violate('I5', `${after.jobId} is paused and waits`);
    if (after.cancelRequestedAt !== undefined && !this.isCleaningUp(after))
      this.#violate('I5', `${after.jobId} was to be cancelled and waits`);
  }

  /** Only its owner takes a job out of `running`, or the sweeper. */
  #checkWriter(by: SimProcess, before: Job, after: Job): void {
    if (before.status !== 'running' || before.owner === undefined) return;
    if (after.status === 'running' && after.epoch === before.epoch) return;
    if (by.role === 'sweeper' && after.status === 'queued') return;
    if (ownerOf(before) === by.name) return;
    this.#violate(
      'I4',
      `${by.name} made ${after.jobId} ${after.status} while ${ownerOf(before)} held it (epoch ${before.epoch})`,
    );
  }

  /** Whoever lives and has had no trouble keeps its lease. */
  #checkReclaim(by: SimProcess, before: Job, after: Job): void {
    if (by.role !== 'sweeper' || before.status !== 'running' || after.status !== 'queued') return;
    const owner = this.processes.get(ownerOf(before));
    const { now, leaseMs } = this.situation();
    if (this.#ledger.unsureClaims.has(before.owner ?? '')) return;
    if (owner === undefined || owner.isDead || owner.isOver || now >= (before.ownerUntil ?? 0))
      return;
    // As the sweep found it: its own requests may be slow.
    const isSound = by.startedAt - Math.max(owner.troubledAt, owner.startedAt) > leaseMs / 2;
    if (isSound)
      this.#violate('I4', `${by.name} took ${after.jobId} from ${owner.name}, which lives`);
  }

  /** Sub-jobs that are to end with their parent have been told so before the parent's duty is struck off. */
  #checkChildrenDuty(before: Job, after: Job): void {
    const isDone =
      before.duties?.includes('children') === true && after.duties?.includes('children') !== true;
    if (!isDone) return;
    for (const child of this.openChildren(after)) {
      if (child.cancelRequestedAt === undefined)
        this.#violate('I6', `${after.jobId} ended and did not cancel its sub-job ${child.jobId}`);
    }
  }

  /** A final outcome stays until a user restarts the job. */
  #checkFinal(before: Job, after: Job): void {
    if (!isFinal(before.status)) {
      if (after.generation !== before.generation)
        this.#violate('I3', `${after.jobId} was restarted while it was ${before.status}`);
      return;
    }
    if (after.generation === before.generation + 1 && after.status === 'queued') {
      if (before.status === 'succeeded')
        this.#violate('I3', `${after.jobId} had succeeded and was restarted`);
      if (before.duties !== undefined)
        this.#violate(
          'I6',
          `${after.jobId} was restarted with open duties (${before.duties.join()})`,
        );
      return;
    }
    const same = (
      ['status', 'generation', 'epoch', 'result', 'error', 'finishedAt'] as const
    ).every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]));
    if (!same)
      this.#violate('I3', `${after.jobId} was ${before.status} and became ${after.status}`);
  }

  #checkClaim(by: SimProcess, before: Job): void {
    if (before.crashes > 0 && by.batch > 1)
      this.#violate('I7', `${before.jobId} has crashed and was claimed in a batch of ${by.batch}`);
    const { now, skewMs } = this.situation();
    if (isBeforeStart(before) && now + skewMs < (before.startAt ?? 0))
      this.#violate('start', `${before.jobId} was claimed before its time to start`);
    if (before.paused === true && now + skewMs < before.deadlineAt)
      this.#violate('I5', `${before.jobId} was claimed while it was paused`);
  }

  /** Only its time, or its end, takes a job out of the wait for its start. */
  #checkStart(before: Job, after: Job): void {
    const { now, skewMs } = this.situation();
    if (after.status === 'queued' && now + skewMs < (before.startAt ?? 0))
      this.#violate('start', `${before.jobId} was queued before its time to start`);
  }

  #noteEntries(by: SimProcess, page: JournalPage, job: Job): void {
    const { jobId, generation } = page;
    const moves = page.entries.some(({ type }) => !NO_PROGRESS.has(type));
    const isKnown = by.role === 'worker' && !this.#ledger.unsure.has(page);
    if (isKnown && moves && ownerOf(job) === by.name)
      this.#ledger.crashes.set(`${jobId} g${generation}`, 0);
    for (const { type } of page.entries) {
      if (type !== 'cancel.requested' && type !== 'pause.requested') continue;
      const isInForce =
        type === 'cancel.requested' ? job.cancelRequestedAt !== undefined : job.paused === true;
      if (job.status !== 'running' || job.generation !== generation || !isInForce) continue;
      const process = ownerOf(job);
      this.#ledger.announced.push({
        jobId,
        generation,
        process,
        type,
        afterWrites: this.#ledger.writes,
        untilWrites: Infinity,
      });
    }
  }

  #noteChild(by: SimProcess, { jobId, parentId, input }: Job): void {
    if (parentId === undefined || input.kind !== 'inline') return;
    const { from = '' } = JSON.parse(input.json) as AgentInput;
    const spawn = `${parentId} g${by.claims.get(parentId) ?? 0} ${from}`;
    this.#ledger.born.set(jobId, by.claims.get(parentId) ?? 0);
    const made = this.#ledger.children.get(spawn);
    if (made === undefined) this.#ledger.children.set(spawn, new Set([jobId]));
    else made.add(jobId);
  }

  /** A crash is a job taken from an owner that did not give it up. */
  #countCrashes(before: Job, after: Job): void {
    if (before.status !== 'running' || after.status === 'running' || isFinal(after.status)) return;
    const key = `${after.jobId} g${after.generation}`;
    const isCrash = after.status === 'queued' && after.crashes > before.crashes;
    // A paused job is put back without having moved.
    if (!isCrash && after.paused === true) return;
    this.#ledger.crashes.set(key, isCrash ? (this.#ledger.crashes.get(key) ?? 0) + 1 : 0);
  }

  /** From here on steps start again. */
  #notePauseEnd({ jobId }: Job): void {
    for (const announced of this.#ledger.announced) {
      if (announced.jobId === jobId && announced.type === 'pause.requested')
        announced.untilWrites = Math.min(announced.untilWrites, this.#ledger.writes);
    }
  }

  #noteFinal(job: Job): void {
    const { finals } = this.#ledger;
    let ofJob = finals.get(job.jobId);
    if (ofJob === undefined) {
      ofJob = new Map();
      finals.set(job.jobId, ofJob);
    }
    if (ofJob.has(job.generation))
      this.#violate('I3', `generation ${job.generation} of ${job.jobId} ended twice`);
    ofJob.set(job.generation, job);
  }
}

/** What an attempt may write and still count as lost. */
const NO_PROGRESS: ReadonlySet<string> = new Set([
  'attempt.started',
  'step.started',
  'job.failed',
  'job.cancelled',
]);

function isClaim(before: Job, after: Job): boolean {
  return after.epoch > before.epoch;
}

/** Owners are named after their process, with a suffix. */
export function ownerOf(job: Job): string {
  return nameOf(job.owner ?? '');
}

function nameOf(invocationId: string): string {
  return invocationId.split('-')[0] ?? '';
}

/** Whoever has let go of a job has stopped its steps; whoever has lost its lease stops them at the next heartbeat. */
export function checkStep(
  running: { process: SimProcess; signal: AbortSignal; jobId: string; path: string },
  { now, leaseMs, violate }: { now: number; leaseMs: number; violate: Violate },
): void {
  const { process, signal, jobId, path } = running;
  if (process.released.has(jobId) && !signal.aborted)
    violate('I4', `${process.name} runs ${path} of ${jobId}, which it has let go of`);
  const isTold = now > process.refusedAt + 100 && process.troubledAt <= process.refusedAt;
  if (isTold && !process.isOver && !signal.aborted)
    violate('I4', `${process.name} runs ${path} although it was told that its lease is lost`);
  const learns = Math.max(process.lostAt, process.troubledAt) + leaseMs / 3 + 1_000;
  if (now > learns && !process.isOver && !signal.aborted)
    violate(
      'I4',
      `${process.name} runs ${path} ${now - learns} ms after it must have learnt that its lease is lost`,
    );
}

/** A job that has crashed before runs alone: it takes no neighbour along twice. */
export function checkKill(
  jobs: Iterable<Job>,
  { killed, jobId, violate }: { killed: SimProcess; jobId: string; violate: Violate },
): void {
  for (const job of jobs) {
    if (
      job.jobId !== jobId &&
      job.status === 'running' &&
      job.crashes > 0 &&
      ownerOf(job) === killed.name
    )
      violate('I7', `${jobId} took ${job.jobId} along, which had crashed before`);
  }
}
