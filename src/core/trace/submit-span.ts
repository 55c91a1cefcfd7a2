import type { CheckedSubmission } from '../commands/check-submission.ts';
import { beginTrace, type TraceDeps } from './begin-trace.ts';
import { noTracing } from './no-tracing.ts';
import { formatTraceparent, type TraceContext } from './trace-context.ts';

interface Submitted {
  readonly jobId: string;
  /** The same submission had made it before. */
  readonly replayed: boolean;
}

/** Submits a job in the span that all slices of it come below. Adds the id of its trace. */
export function inSubmitSpan<Result extends Submitted>(
  deps: TraceDeps,
  {
    submission,
    callerSpan,
  }: { submission: CheckedSubmission; callerSpan?: TraceContext | undefined },
  submit: (traced: CheckedSubmission) => Promise<Result>,
): Promise<Result & { readonly traceId: string }> {
  const { tenantId, agent } = submission;
  const start = { name: 'submit', kind: 'server', attributes: { tenantId, agent } } as const;
  const parent = beginTrace(deps, callerSpan);
  return (deps.tracing ?? noTracing).inSpan(start, parent, async (span) => {
    const traceparent = formatTraceparent(span.context);
    const submitted = await submit({ ...submission, traceparent });
    span.note({ jobId: submitted.jobId, replayed: submitted.replayed });
    return { ...submitted, traceId: parent.traceId };
  });
}
