import { isJobId } from './job-id.ts';

/** The fields of a queue message that names a job; undefined when the message cannot be read. */
export function hintFields(
  body: string,
): { readonly jobId: string; readonly [field: string]: unknown } | undefined {
  let hint: unknown;
  try {
    hint = JSON.parse(body);
  } catch {
    return undefined;
  }
  if (typeof hint !== 'object' || hint === null) return undefined;
  const { v, jobId, ...fields } = hint as Readonly<Record<string, unknown>>;
  return v === 1 && typeof jobId === 'string' && isJobId(jobId) ? { ...fields, jobId } : undefined;
}
