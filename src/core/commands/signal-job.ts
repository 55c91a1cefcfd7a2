import { checkPayloadSize } from '../engine/payload.ts';
import type { CommandDeps, CommandResult } from '../engine/cancel-job.ts';
import { sendHint } from '../engine/send-hint.ts';
import { canonicalJson } from '../job/canonical-json.ts';
import { isFinal, type Job } from '../job/job.ts';
import { signalKey } from '../job/payload-keys.ts';
import type { StoredValue } from '../job/stored-value.ts';
import { noteWakeup, wake } from '../job/transitions.ts';
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

/**
 * Keeps a signal for the caller's job and makes the job look. It counts whether the wait for it has begun or not; one that
 * races with the end of the job may be refused and still have counted.
 */
export async function signalJob(
  deps: SignalDeps,
  command: SignalCommand,
): Promise<CommandResult | undefined> {
  const job = await findOwnJob(deps.jobs, command);
  if (job === undefined) return undefined;
  if (isFinal(job.status)) return { outcome: 'refused', job };
  const json = JSON.stringify(command.body);
  const signalId = command.signalId ?? deps.ids.deriveId('signal', canonicalJson(command.body));
  await deps.jobs.putSignal({
    jobId: job.jobId,
    name: command.name,
    signalId,
    body: await storeBody(deps, job, { name: command.name, signalId, json }),
    receivedAt: deps.clock.now(),
    expiresAtSeconds: job.expiresAtSeconds,
  });
  // Also when it was there already: whoever put it may have died before this.
  return makeLook(deps, job);
}

/** A job that waits is queued; one that runs or is queued must look again before it lets go. */
async function makeLook(deps: CommandDeps, job: Job): Promise<CommandResult> {
  for (;;) {
    const woken = await deps.jobs.updateJob(job.jobId, wake(deps.clock.now()));
    if (woken.applied) {
      await sendHint(deps, woken.job, 'woken');
      return { outcome: 'done', job: woken.job };
    }
    const noted = await deps.jobs.updateJob(job.jobId, noteWakeup());
    if (noted.applied) {
      const { status, owner, jobId } = noted.job;
      if (status === 'running' && owner !== undefined) await deps.jobs.callAttention(owner, jobId);
      return { outcome: 'done', job: noted.job };
    }
    if (noted.job === undefined || isFinal(noted.job.status))
      return { outcome: 'refused', job: noted.job ?? job };
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
