import type * as z from 'zod';
import { faultyRequest } from './faults.ts';

/**
 * A body of the form that the schema asks for.
 * @throws RequestRefused `invalid_request` with a pointer per fault
 */
export function checkedBody<Schema extends z.ZodObject>(
  schema: Schema,
  body: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  const known = Object.keys(schema.shape).join(', ') || 'none';
  throw faultyRequest(
    'invalid_request',
    parsed.error.issues.flatMap((issue) => located(issue, known)),
  );
}

/** Zod reports unknown fields at the object that has them; a caller looks for the field. */
function located(
  issue: z.core.$ZodIssue,
  known: string,
): { path: PropertyKey[]; message: string }[] {
  if (issue.code !== 'unrecognized_keys') return [issue];
  return issue.keys.map((key) => ({
    path: [...issue.path, key],
    message: `unknown field: known are ${known}`,
  }));
}
