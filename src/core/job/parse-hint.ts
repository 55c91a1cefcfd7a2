import { hintFields } from './hint-fields.ts';

/** The job a queue message points to; undefined when the message cannot be read. */
export function parseHint(body: string): string | undefined {
  return hintFields(body)?.jobId;
}
