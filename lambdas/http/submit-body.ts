import type * as z from 'zod';
import { type SubmitRequest, submitRequestSchema } from '../../src/protocol/submit-request.ts';
import { faultyRequest } from './faults.ts';

/** @throws RequestRefused `invalid_request` with a pointer per fault */
export function submitRequestOf(body: unknown): SubmitRequest {
  const parsed = submitRequestSchema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw faultyRequest('invalid_request', parsed.error.issues.flatMap(located));
}

/** Zod reports unknown fields at the object that has them; a caller looks for the field. */
function located(issue: z.core.$ZodIssue): { path: PropertyKey[]; message: string }[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: 'unknown field: known are agent, input, metadata, tags',
  }));
}
