import type { RunOnce } from '../../src/adapters/idempotency/powertools-run-once.ts';
import type { CheckedSubmission } from '../../src/core/commands/check-submission.ts';
import { termsOf } from '../../src/core/commands/job-terms.ts';
import {
  lifetimeSeconds,
  type StoreDeps,
  type SubmitResult,
} from '../../src/core/commands/submit-job.ts';
import type { TraceDeps } from '../../src/core/trace/begin-trace.ts';
import { inSubmitSpan } from '../../src/core/trace/submit-span.ts';
import type { TraceContext } from '../../src/core/trace/trace-context.ts';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { acceptedJob, type PathOf } from './job-representation.ts';
import { keyReused, runWithKey } from './run-with-key.ts';

export type AcceptDeps = StoreDeps & TraceDeps & { readonly runOnce: RunOnce };

/** What is remembered under a key; the rest of the answer follows from the request, which is the same. */
interface Remembered {
  readonly jobId: string;
  readonly createdAt: number;
}

/** Makes the job, or finds it. */
type Make = (submission: CheckedSubmission) => Promise<SubmitResult>;

export interface AcceptedJob extends Remembered {
  /** Of the request; of the job too, unless another request had made it. */
  readonly traceId: string;
  /** The same request had made it before. */
  readonly replayed: boolean;
}

interface Acceptance {
  readonly remainingMs: number;
  readonly make: Make;
}

/**
 * Makes the job of a submission, or finds the one that the same submission made.
 * @throws RequestRefused `idempotency_key_reused`, `idempotency_in_progress`
 */
export function acceptJob(
  deps: AcceptDeps,
  submission: CheckedSubmission,
  { callerSpan, ...how }: Acceptance & { readonly callerSpan: TraceContext | undefined },
): Promise<AcceptedJob> {
  return inSubmitSpan(deps, { submission, callerSpan }, (traced) => accept(deps, traced, how));
}

async function accept(
  deps: AcceptDeps,
  submission: CheckedSubmission,
  { remainingMs, make }: Acceptance,
): Promise<Omit<AcceptedJob, 'traceId'>> {
  const { tenantId, idempotencyKey: key, fingerprint } = submission;
  let existed = false;
  const work = async (): Promise<Remembered> => {
    const result = await make(submission);
    // Thrown, not returned: what is returned would be remembered under the key.
    if (!result.accepted) throw keyReused();
    existed = result.existed;
    return { jobId: result.jobId, createdAt: result.createdAt };
  };
  if (key === undefined) return { ...(await work()), replayed: false };

  const use = {
    tenantId,
    key,
    fingerprint,
    lifetimeSeconds: lifetimeSeconds(submission, {
      retentionDays: deps.retentionDays,
      now: deps.clock.now(),
    }),
    remainingMs,
  };
  const { value, replayed } = await runWithKey(deps.runOnce, use, work);
  return { ...value, replayed: replayed || existed };
}

/** What the answer says of it: the same for every replay, whatever the job has come to. */
export function acceptedBody(
  submission: CheckedSubmission,
  { jobId, createdAt }: AcceptedJob,
  pathOf: PathOf,
): JobRepresentation {
  const { agent, metadata, tags, notify } = submission;
  const job = {
    jobId,
    agent,
    createdAt,
    ...termsOf(submission, createdAt),
    ...(metadata !== undefined && { metadata }),
    ...(tags !== undefined && { tags }),
    ...(notify !== undefined && { notify }),
  };
  return acceptedJob(job, pathOf);
}
