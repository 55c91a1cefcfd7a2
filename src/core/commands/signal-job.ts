import { checkPayloadSize } from '../engine/payload.ts';
import type { CommandDeps, CommandResult } from '../engine/cancel-job.ts';
import { sendHint } from '../engine/send-hint.ts';
import { canonicalJson } from '../job/canonical-json.ts';
import type { JobUpdate } from '../job/item-update.ts';
import { isFinal, type Job } from '../job/job.ts';
import { signalKey } from '../job/payload-keys.ts';
import type { ReceivedSignal } from '../job/signal.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { countSignal, noteWakeup, wake } from '../job/transitions.ts';
import { LIMITS } from '../policy/limits.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { PayloadStore } from '../ports/payload-store.ts';
import type { JobCommand } from './control-job.ts';
import { findOwnJob } from './read-job.ts';

export interface SignalCommand extends JobCommand {
  readonly name: string;
  /** The same signal sent again has the same id. Default: derived from the body. */
  readonly signalId?: string;
  readonly body: unknown;
}

export type SignalDeps = CommandDeps & {
  readonly ids: IdSource;
  readonly payloads: Pick<PayloadStore, 'put'>;
};

/** `id_reused`: there is a signal of that id with another body, and this one is not kept. */
export type SignalResult =
  | CommandResult
  | { readonly outcome: 'id_reused'; readonly job: Job }
  /** The job has as many as it takes, and this one is not kept. */
  | { readonly outcome: 'too_many'; readonly job: Job };

/**
 * Keeps a signal for the caller's job and makes the job look. It counts whether the wait for it has begun or not; one that
 * races with the end of the job may be refused and still have counted. Sent again it is accepted again, also when the job has
 * ended meanwhile.
 */
export async function signalJob(
  deps: SignalDeps,
  command: SignalCommand,
): Promise<SignalResult | undefined> {
  const job = await findOwnJob(deps.jobs, command);
  if (job === undefined) return undefined;
  const { name } = command;
  const json = JSON.stringify(command.body);
  const signalId = command.signalId ?? deps.ids.deriveId('signal', canonicalJson(command.body));
  const isOver = isFinal(job.status);
  if (isOver || (job.signals ?? 0) >= LIMITS.signals) {
    const earlier = await findSignal(deps, job, { name, signalId });
    if (earlier === undefined) return { outcome: isOver ? 'refused' : 'too_many', job };
    if (!isBody(deps, earlier.body, json)) return { outcome: 'id_reused', job };
    return isOver ? { outcome: 'done', job } : makeLook(deps, job, { isNew: false });
  }
  const stored = await deps.jobs.putSignal({
    jobId: job.jobId,
    name,
    signalId,
    body: await storeBody(deps, job, { name, signalId, json }),
    receivedAt: deps.clock.now(),
    expiresAtSeconds: job.expiresAtSeconds,
  });
  if (stored === 'duplicate') {
    const earlier = await findSignal(deps, job, { name, signalId });
    if (earlier !== undefined && !isBody(deps, earlier.body, json))
      return { outcome: 'id_reused', job };
  }
  // Also when it was there already: whoever put it may have died before this.
  return makeLook(deps, job, { isNew: stored === 'stored' });
}

async function findSignal(
  deps: CommandDeps,
  { jobId }: Job,
  { name, signalId }: { name: string; signalId: string },
): Promise<ReceivedSignal | undefined> {
  const signals = await deps.jobs.listSignals(jobId);
  return signals.find((signal) => signal.name === name && signal.signalId === signalId);
}

/** Whether a stored body is this one. Of a large one only the very same text is known to be. */
function isBody({ ids }: SignalDeps, stored: StoredValue, json: string): boolean {
  if (stored.kind === 's3') return stored.sha256 === ids.sha256(json);
  const canonical = (text: string) => canonicalJson(JSON.parse(text) as unknown);
  return stored.kind === 'inline' && canonical(stored.json) === canonical(json);
}

/** A job that waits is queued; one that runs or is queued must look again before it lets go. */
async function makeLook(
  deps: CommandDeps,
  job: Job,
  { isNew }: { readonly isNew: boolean },
): Promise<CommandResult> {
  const counted = isNew ? countSignal : (update: JobUpdate) => update;
  for (;;) {
    const woken = await deps.jobs.updateJob(job.jobId, counted(wake(deps.clock.now())));
    if (woken.applied) {
      await sendHint(deps, woken.job, 'woken');
      return { outcome: 'done', job: woken.job };
    }
    const noted = await deps.jobs.updateJob(job.jobId, counted(noteWakeup()));
    if (noted.applied) {
      const { status, owner, jobId } = noted.job;
      if (status === 'running' && owner !== undefined) await deps.jobs.callAttention(owner, jobId);
      return { outcome: 'done', job: noted.job };
    }
    // One that was kept before may be what the job has ended by.
    if (noted.job === undefined || isFinal(noted.job.status))
      return { outcome: isNew ? 'refused' : 'done', job: noted.job ?? job };
  }
}

async function storeBody(
  deps: SignalDeps,
  job: Job,
  { name, signalId, json }: { name: string; signalId: string; json: string },
): Promise<StoredValue> {
  if (checkPayloadSize(json) <= LIMITS.inlineBytes) return { kind: 'inline', json };
  const { tenantId, jobId } = job;
  const digest = deps.ids.sha256(json);
  const key = signalKey({ tenantId, jobId, name, signalId, digest }, (text) =>
    deps.ids.sha256(text),
  );
  return { kind: 's3', ...(await deps.payloads.put(key, json)) };
}
