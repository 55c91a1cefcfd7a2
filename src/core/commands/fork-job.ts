import type { CommandDeps } from '../engine/cancel-job.ts';
import {
  addToTotals,
  counts,
  foldJournal,
  type JournalView,
  NO_TOTALS,
} from '../engine/journal-view.ts';
import { sizeBytes } from '../engine/json-value.ts';
import { sendHint } from '../engine/send-hint.ts';
import type { Job } from '../job/job.ts';
import { newJobId } from '../job/job-id.ts';
import type { JournalEntry, JournalPage } from '../job/journal.ts';
import { LIMITS, QUEUED_DUE_MS } from '../policy/limits.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { JobHistory } from '../ports/job-store.ts';
import type { JobCommand } from './control-job.ts';
import { findOwnJob } from './read-job.ts';
import { newDeadline } from './restart-job.ts';

export interface ForkCommand extends JobCommand {
  /** The first step to run anew; what was recorded before it is copied. */
  readonly fromStep: string;
  readonly hint?: string;
  /** The same fork asked for again is the same job. */
  readonly idempotencyKey?: string;
}

export type ForkResult =
  | { readonly outcome: 'done'; readonly job: Job }
  | { readonly outcome: 'refused'; readonly job: Job }
  | { readonly outcome: 'unknown_step'; readonly steps: readonly string[] };

export type ForkDeps = CommandDeps & { readonly ids: IdSource };

/**
 * Makes a new job of a succeeded one: with its input and what was recorded before a step, so that it goes on from there. The
 * pages come first and the job last, so a crash in between leaves nothing that anybody would run.
 */
export async function forkJob(
  deps: ForkDeps,
  command: ForkCommand,
): Promise<ForkResult | undefined> {
  const found = await findOwnJob(deps.jobs, command);
  if (found === undefined) return undefined;
  if (found.status !== 'succeeded') return { outcome: 'refused', job: found };
  const history = await deps.jobs.loadHistory(command.jobId);
  const steps = foldJournal(history.pages, found).steps;
  if (!steps.has(command.fromStep)) return { outcome: 'unknown_step', steps: [...steps.keys()] };

  const fork = newFork(deps, found, command);
  for (const page of pagesOf(fork, keptEntries(history, found, command.fromStep))) {
    await deps.jobs.appendPage(page);
  }
  const created = await deps.jobs.createJob(fork, history.inputJson);
  const job = created.created ? fork : created.existing;
  await sendHint(deps, job, 'submitted');
  return { outcome: 'done', job };
}

function newFork(deps: ForkDeps, of: Job, command: ForkCommand): Job {
  const now = deps.clock.now();
  const { tenantId, agent, input, fingerprint, limits, metadata, tags, traceparent } = of;
  const { expiresAtSeconds } = of;
  const { notify, notifyTenant } = of;
  const key = command.idempotencyKey;
  const hints = command.hint === undefined ? (of.hints ?? []) : [...(of.hints ?? []), command.hint];
  return {
    jobId: newJobId(
      deps.ids,
      tenantId,
      key === undefined ? undefined : `fork\n${of.jobId}\n${key}`,
    ),
    tenantId,
    agent,
    status: 'queued',
    generation: 1,
    epoch: 0,
    // Its first load must not be skipped: it begins with a history.
    wakeups: 1,
    crashes: 0,
    dueAt: now + QUEUED_DUE_MS,
    deadlineAt: newDeadline(of, now),
    createdAt: now,
    updatedAt: now,
    fingerprint,
    input,
    forkOf: of.jobId,
    expiresAtSeconds,
    ...(limits === undefined ? {} : { limits }),
    ...(hints.length === 0 ? {} : { hints }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(tags === undefined ? {} : { tags }),
    ...(notify === undefined ? {} : { notify }),
    ...(notifyTenant === undefined ? {} : { notifyTenant }),
    ...(traceparent === undefined ? {} : { traceparent }),
  };
}

/** Entries that decided what was recorded before the step, in order. */
function keptEntries(history: JobHistory, of: Job, fromStep: string): JournalEntry[] {
  const cut = { generation: of.generation, seq: Infinity, keep: { before: fromStep } };
  const cuts = [...(of.cuts ?? []), cut];
  const view = foldJournal(history.pages, { generation: of.generation, cuts });
  return history.pages
    .filter((page) => counts(page, { cuts }))
    .flatMap(({ entries }) => entries)
    .filter((entry, index) => isDecidedAt(view, entry, index + 1));
}

/**
 * Whether it is the entry at this place that counts: another one of the same step may be of a generation that was cut. A spawn
 * counts only with the outcome of its child, which the fork could not wait for.
 */
function isDecidedAt(view: JournalView, entry: JournalEntry, position: number): boolean {
  if (entry.type === 'child.finished') return view.children.get(entry.childId)?.order === position;
  if (!('stepId' in entry)) return false;
  const record = view.steps.get(entry.stepId);
  if (record?.order !== position) return false;
  return record.spawned === undefined || view.children.has(record.spawned.childId);
}

function pagesOf(fork: Job, entries: readonly JournalEntry[]): JournalPage[] {
  const { jobId, generation, expiresAtSeconds } = fork;
  const pages: JournalPage[] = [];
  let batch: JournalEntry[] = [];
  let bytes = 0;
  let totals = NO_TOTALS;
  const close = (): void => {
    if (batch.length === 0) return;
    totals = addToTotals(totals, batch, bytes);
    pages.push({
      jobId,
      generation,
      seq: pages.length + 1,
      entries: batch,
      totals,
      expiresAtSeconds,
    });
    batch = [];
    bytes = 0;
  };
  for (const entry of entries) {
    const size = sizeBytes(JSON.stringify(entry));
    if (bytes + size > LIMITS.pageBytes) close();
    batch.push(entry);
    bytes += size;
  }
  close();
  return pages;
}
