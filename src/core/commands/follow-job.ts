import { type EntryPosition, endOf, isBehind, SUBMITTED } from '../job/entry-position.ts';
import { isFinal, type Job } from '../job/job.ts';
import type { JournalEntry, JournalPage } from '../job/journal.ts';
import type { JobStore, PagePosition } from '../ports/job-store.ts';

/** Something that happened in a job: an entry of its journal, or one of the two facts that only the job item tells. */
export type FollowedEvent = { readonly position: EntryPosition } & (
  | { readonly kind: 'submitted'; readonly job: Job }
  | { readonly kind: 'recorded'; readonly entry: JournalEntry }
  | { readonly kind: 'ended'; readonly job: Job }
);

export interface FollowedEvents {
  readonly events: readonly FollowedEvent[];
  /** `more` can be read at once; `live`: the job goes on; `over`: nothing comes behind these. */
  readonly state: 'more' | 'live' | 'over';
}

/** Where taking pages stopped: at the last of them, at one that does not follow, or at a final entry. */
type Stop = 'last' | 'gap' | 'held' | 'final';

/**
 * Follows a job from behind `after` on: each event once, in the order of the trace.
 *
 * A look is eventually consistent, so it may miss a page and yet show a later one. Hence a page is taken only when it is the
 * next one: numbers have no gaps, and where an earlier generation ends stands in the job's cuts. What a lost worker or a late
 * command adds behind a cut counts for nothing and is left out. Looks at a final job are consistent: nothing behind the last
 * page means the end.
 */
export class FollowedJob {
  readonly #jobs: Pick<JobStore, 'lookAt'>;
  #job: Job;
  /** Last event that was given out. */
  #after: EntryPosition | undefined;
  /** Last page that was taken to its end. */
  #page: PagePosition;
  #ahead: FollowedEvents | undefined;

  constructor(jobs: Pick<JobStore, 'lookAt'>, job: Job, after?: EntryPosition) {
    this.#jobs = jobs;
    this.#job = job;
    this.#after = after;
    const { generation, seq } = after ?? SUBMITTED;
    // The page of the last event is read again: it may hold more.
    this.#page = { generation: Math.max(1, generation), seq: Math.max(0, seq - 1) };
  }

  /** As last seen. */
  get job(): Job {
    return this.#job;
  }

  /** Whether a reader has anything to wait for; what that takes to find out is kept for the next `read`. */
  async isOver(): Promise<boolean> {
    let ahead = await this.read();
    while (ahead.events.length === 0 && ahead.state === 'more') ahead = await this.read();
    this.#ahead = ahead;
    return ahead.events.length === 0 && ahead.state === 'over';
  }

  async read(): Promise<FollowedEvents> {
    const ahead = this.#ahead;
    this.#ahead = undefined;
    return ahead ?? this.#look();
  }

  async #look(): Promise<FollowedEvents> {
    const consistent = isFinal(this.#job.status);
    const events = this.#after === undefined ? [this.#give(submitted(this.#job))] : [];
    this.#leaveCutGenerations();
    const look = await this.#jobs.lookAt(this.#job.jobId, this.#page, { consistent });
    if (look.isWhole && look.job === undefined) return { events, state: 'over' };
    // One that is late may show the job as it was before its last restart.
    if (look.job && look.job.generation >= this.#job.generation) this.#job = look.job;
    const stop = this.#take(look.pages, events);
    if (stop === 'final') return { events, state: 'over' };
    const isFinalNow = isFinal(this.#job.status);
    if (!look.isWhole || consistent !== isFinalNow) return { events, state: 'more' };
    if (!isFinalNow || stop !== 'last') return { events, state: 'live' };
    const end = ended(this.#job);
    if (end && this.#isNew(end.position)) events.push(this.#give(end));
    return { events, state: 'over' };
  }

  /** Adds what is new in the pages to `events`. */
  #take(pages: readonly JournalPage[], events: FollowedEvent[]): Stop {
    for (const page of pages) {
      this.#leaveCutGenerations();
      if (page.generation < this.#page.generation) continue;
      if (page.generation > this.#page.generation || page.seq !== this.#page.seq + 1) return 'gap';
      const stop = this.#takeEntries(page, events);
      if (stop !== undefined) return stop;
      this.#page = page;
    }
    return 'last';
  }

  /**
   * The entry that ends a job precedes the status by a moment. It is held back until the job shows it too: whoever hears of the
   * end may ask for the job at once.
   */
  #takeEntries(page: JournalPage, events: FollowedEvent[]): 'held' | 'final' | undefined {
    const { generation, seq } = page;
    const isCurrent = generation === this.#job.generation;
    for (const [index, entry] of page.entries.entries()) {
      const endsJob = isCurrent && (entry.type === 'job.failed' || entry.type === 'job.cancelled');
      if (endsJob && !isFinal(this.#job.status)) return 'held';
      const position = { generation, seq, index };
      if (this.#isNew(position)) events.push(this.#give({ kind: 'recorded', position, entry }));
      if (endsJob) return 'final';
    }
    return undefined;
  }

  #leaveCutGenerations(): void {
    for (const { generation, seq } of this.#job.cuts ?? []) {
      if (generation === this.#page.generation && this.#page.seq >= seq) {
        this.#page = { generation: generation + 1, seq: 0 };
      }
    }
  }

  #isNew(position: EntryPosition): boolean {
    return this.#after === undefined || isBehind(position, this.#after);
  }

  #give(event: FollowedEvent): FollowedEvent {
    this.#after = event.position;
    return event;
  }
}

function submitted(job: Job): FollowedEvent {
  return { kind: 'submitted', position: SUBMITTED, job };
}

/** An end that no page tells: success, and the cancel of a job that no worker ever held. */
function ended(job: Job): FollowedEvent | undefined {
  const isUntold = job.status === 'succeeded' || (job.status === 'cancelled' && job.epoch === 0);
  return isUntold ? { kind: 'ended', position: endOf(job.generation), job } : undefined;
}
