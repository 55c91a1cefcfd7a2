import type { JournalEntry, JournalPage } from '../../core/job/journal.ts';
import type { RunningStep } from '../../core/ports/step-scope.ts';

/** How `failStep` lets a step fail. */
export interface StepFailureOptions {
  /** Which tries fail, 1-based. Default: the first. */
  readonly tries?: number | readonly number[] | 'all';
  /** What is thrown instead of running the step. Default: an error that says so. */
  readonly error?: unknown;
}

/** Whether the worker dies just before or just after something is recorded. */
export type CrashMoment = 'before' | 'after';

/** When a worker dies: at what a step records first, or at the n-th page that is written at all. */
export type CrashPoint = { readonly when: CrashMoment } & (
  { readonly step: string } | { readonly page: number }
);

/** What is to go wrong, as planned by a test. */
export class Faults {
  readonly #failures = new Map<string, StepFailureOptions>();
  #crashes: CrashPoint[] = [];
  #pages = 0;
  #entries = 0;

  /** Pages of work that were written, or were about to be when their worker died. */
  get pages(): number {
    return this.#pages;
  }

  /** Entries on them. */
  get entries(): number {
    return this.#entries;
  }

  failStep(stepId: string, options: StepFailureOptions): void {
    this.#failures.set(stepId, options);
  }

  crash(point: CrashPoint): void {
    this.#crashes.push(point);
  }

  /** Crash points that were never reached: a test that planned them tests nothing. */
  get unreached(): readonly CrashPoint[] {
    return this.#crashes;
  }

  /** Throws what this try of a step is to fail with. */
  meetStep({ stepId, try: number }: RunningStep): void {
    const planned = this.#failures.get(stepId);
    if (planned === undefined || !isMeant(planned.tries ?? 1, number)) return;
    throw 'error' in planned ? planned.error : new Error(`planned failure of try ${number}`);
  }

  /** The crash that this page is to meet; each happens once. */
  meetPage(page: JournalPage): CrashMoment | undefined {
    if (!page.entries.some(isWork)) return undefined;
    this.#pages++;
    this.#entries += page.entries.length;
    const met = this.#crashes.find((point) =>
      'page' in point ? point.page === this.#pages : page.entries.some(isCheckpoint(point.step)),
    );
    this.#crashes = this.#crashes.filter((point) => point !== met);
    return met?.when;
  }
}

function isMeant(tries: number | readonly number[] | 'all', number: number): boolean {
  if (typeof tries === 'string') return true;
  return typeof tries === 'number' ? tries === number : tries.includes(number);
}

/** Not what attempts after a crash note for whoever reads the trace. */
export function isWork({ type }: JournalEntry): boolean {
  return type !== 'attempt.started' && type !== 'step.started';
}

function isCheckpoint(stepId: string): (entry: JournalEntry) => boolean {
  return (entry) =>
    isWork(entry) && entry.type !== 'log.written' && 'stepId' in entry && entry.stepId === stepId;
}
