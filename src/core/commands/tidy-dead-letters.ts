import { isFinal } from '../job/job.ts';
import { isJobId } from '../job/job-id.ts';
import type { DeadLetterInbox, ReceivedDeadLetter } from '../ports/dead-letter-inbox.ts';
import type { JobStore } from '../ports/job-store.ts';

export interface TidyDeps {
  readonly inbox: DeadLetterInbox;
  readonly jobs: Pick<JobStore, 'getJob'>;
}

/** What one look at the dead-letter queue saw. */
export interface TidyReport {
  /** Messages looked at. */
  readonly examined: number;
  /** Those removed, since their jobs were restarted or do not need them. */
  readonly removed: number;
  /** Those that belong to no job: an operator has to look at them. */
  readonly unreadable: number;
}

/** Receives in a row that bring nothing new before the queue counts as seen. */
const PATIENCE = 2;

/**
 * Removes the messages of dead letters that were redriven. SQS cannot be asked for a message by what is in it, so this receives
 * some, asks the table about each, and gives back at once what stays.
 */
export async function tidyDeadLetters(
  deps: TidyDeps,
  { maxReceives }: { readonly maxReceives: number },
): Promise<TidyReport> {
  const kept = new Set<string>();
  let [removed, unreadable, idle] = [0, 0, 0];
  for (let receives = 0; receives < maxReceives && idle < PATIENCE; receives++) {
    const messages = await deps.inbox.receive();
    if (messages.length === 0) break;
    const verdicts = await Promise.all(messages.map((message) => verdictOn(deps, message)));
    const of = (...wanted: readonly Verdict[]): ReceivedDeadLetter[] =>
      messages.filter((_, at) => wanted.includes(verdicts[at] ?? 'keep'));
    const receipts = (some: readonly ReceivedDeadLetter[]) => some.map(({ receipt }) => receipt);
    await deps.inbox.release(receipts(of('keep', 'unreadable')));
    await deps.inbox.remove(receipts(of('remove')));
    const isNew = ({ messageId }: ReceivedDeadLetter): boolean => !kept.has(messageId);
    unreadable += of('unreadable').filter(isNew).length;
    removed += of('remove').length;
    idle = messages.some(isNew) ? 0 : idle + 1;
    for (const { messageId } of of('keep', 'unreadable')) kept.add(messageId);
  }
  return { examined: kept.size + removed, removed, unreadable };
}

type Verdict = 'remove' | 'keep' | 'unreadable';

async function verdictOn(deps: TidyDeps, { body }: ReceivedDeadLetter): Promise<Verdict> {
  const named = parse(body);
  if (named === undefined) return 'unreadable';
  const job = await deps.jobs.getJob(named.jobId);
  if (job === undefined) return 'unreadable';
  // A hint that nobody could deliver says nothing of its job, unless that still needs one.
  if (named.generation === undefined) return isFinal(job.status) ? 'remove' : 'keep';
  return job.generation > named.generation ? 'remove' : 'keep';
}

/** Of a dead letter its job and generation, of a hint the job. */
function parse(body: string): { jobId: string; generation?: number } | undefined {
  try {
    const { v, jobId, generation } = JSON.parse(body) as Readonly<Record<string, unknown>>;
    if (v !== 1 || typeof jobId !== 'string' || !isJobId(jobId)) return undefined;
    return typeof generation === 'number' ? { jobId, generation } : { jobId };
  } catch {
    return undefined;
  }
}
