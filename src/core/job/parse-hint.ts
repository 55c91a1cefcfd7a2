import type { JobHint } from '../ports/job-queue.ts';
import { hintFields } from './hint-fields.ts';

/** A hint that can be read; what an earlier release did not say is absent. */
export type ReceivedHint = Pick<JobHint, 'jobId' | 'agent' | 'traceparent'> &
  Partial<Pick<JobHint, 'tenantId'>>;

/** What a queue message says of the job it points to; undefined when the message cannot be read. */
export function parseHint(body: string): ReceivedHint | undefined {
  const fields = hintFields(body);
  if (fields === undefined) return undefined;
  const { jobId, agent, tenantId, traceparent } = fields;
  return {
    jobId,
    ...(typeof agent === 'string' && { agent }),
    ...(typeof tenantId === 'string' && { tenantId }),
    ...(typeof traceparent === 'string' && { traceparent }),
  };
}
