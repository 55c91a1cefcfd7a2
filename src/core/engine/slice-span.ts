import type { Job } from '../job/job.ts';
import { noTracing } from '../trace/no-tracing.ts';
import { formatTraceparent, parseTraceparent } from '../trace/trace-context.ts';
import type { EngineDeps } from './engine-deps.ts';
import type { RunState } from './run-state.ts';
import type { Try, TryResult } from './run-try.ts';
import { storeError } from './stored-error.ts';

/** Works on a slice of a job in a span of the job's own trace; all its slices have the same parent. */
export function inSliceSpan(
  deps: EngineDeps,
  job: Job,
  work: (traced: EngineDeps) => Promise<void>,
): Promise<void> {
  const parent = parseTraceparent(job.traceparent);
  if (parent === undefined) return work(deps);
  const { jobId, tenantId, agent, epoch: attempt } = job;
  const start = {
    name: `job ${agent}`,
    kind: 'consumer',
    attributes: { jobId, tenantId, agent, attempt },
  } as const;
  return (deps.tracing ?? noTracing).inSpan(start, parent, (span) => work({ ...deps, span }));
}

/** One try of a step in a span below the slice's. */
export function inTrySpan(
  run: RunState,
  { stepId, number }: Try,
  work: () => Promise<TryResult>,
): Promise<TryResult> {
  const slice = run.deps.span;
  if (slice === undefined) return work();
  const start = { name: stepId, attributes: { step: stepId, try: number } };
  return slice.inSpan(start, async (span) => {
    const result = await work();
    if (result.kind === 'threw') span.fail(storeError(result.error));
    return result;
  });
}

/** What a sub-job comes below. */
export function traceparentBelow({ deps, job }: RunState): string | undefined {
  return deps.span === undefined ? job.traceparent : formatTraceparent(deps.span.context);
}
