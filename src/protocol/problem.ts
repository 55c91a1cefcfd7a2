import * as z from 'zod';
import { jobStatusSchema } from './job.ts';

/** Media type of every answer that is not a success (RFC 9457). */
export const PROBLEM_MEDIA_TYPE = 'application/problem+json';

/** `type` of a problem: a name, not an address; clients branch on `code`. */
export function problemType(code: string): string {
  return `urn:longhaul:problem:${code}`;
}

/** A fault at one place of the request. */
export const faultSchema = z.object({
  pointer: z
    .string()
    .optional()
    .meta({ description: 'JSON Pointer (RFC 6901) into the request body' }),
  parameter: z.string().optional().meta({ description: 'Name of a query parameter' }),
  message: z.string(),
});
export type Fault = z.output<typeof faultSchema>;

/** Body of every answer that is not a success. Which of the optional fields it has follows from `code`. */
export const problemSchema = z.object({
  type: z.string(),
  title: z.string(),
  status: z.number().int(),
  detail: z.string(),
  code: z.string().meta({ description: 'Stable: branch on this' }),
  requestId: z.string().meta({ description: 'Also in the header x-request-id and in the logs' }),
  errors: z.array(faultSchema).optional(),
  limit: z
    .object({ maximum: z.number(), actual: z.number(), unit: z.enum(['bytes', 'characters']) })
    .optional(),
  knownAgents: z.array(z.string()).optional(),
  knownSteps: z
    .array(z.string())
    .optional()
    .meta({ description: 'Steps of the job in the order they were recorded, the first of many' }),
  jobStatus: jobStatusSchema
    .optional()
    .meta({ description: 'Status of the job that a command did not apply to' }),
});
export type Problem = z.output<typeof problemSchema>;
