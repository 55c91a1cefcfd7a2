import { isJobId } from './job-id.ts';

/** The job a queue message points to; undefined when the message cannot be read. */
export function parseHint(body: string): string | undefined {
  let hint: unknown;
  try {
    hint = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof hint !== 'object' || hint === null) return undefined;
  const { v, jobId } = hint as { v?: unknown; jobId?: unknown };
  return v === 1 && typeof jobId === 'string' && isJobId(jobId) ? jobId : undefined;
}
