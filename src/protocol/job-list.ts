import * as z from 'zod';
import { jobSchema, jobStatusSchema } from './job.ts';
import { LIMITS } from './limits.ts';
import { agentNameSchema, tagSchema } from './submit-request.ts';

const instant = z.iso.datetime({
  offset: true,
  error: 'is no instant: write it as 2030-01-31T12:00:00Z',
});

/** Where a list goes on: `next` of the page before. */
export const cursorSchema = z
  .string()
  .min(1)
  .max(1_024)
  .meta({ description: 'The field next of the page before; good for the same filters only' });

const PAGE_ROWS = 20;

/** Rows of a page, at most. */
export const pageLimitSchema = z
  .preprocess(
    // Digits and nothing else: `Number` takes 0x5 and 5e0 for numbers, too.
    (text) => (typeof text === 'string' && /^\d{1,9}$/.test(text) ? Number(text) : text),
    z
      .int({ error: `is a whole number from 1 to ${LIMITS.pageRows}` })
      .min(1)
      .max(LIMITS.pageRows)
      // Said here, where the document looks for it.
      .meta({ default: PAGE_ROWS }),
  )
  .default(PAGE_ROWS);

/** Query of `GET /jobs`. */
export const listJobsQuerySchema = z.object({
  status: jobStatusSchema.optional(),
  agent: agentNameSchema.optional(),
  tag: tagSchema.optional().meta({ description: 'One of the tags of the job' }),
  createdAfter: instant.optional(),
  createdBefore: instant.optional(),
  limit: pageLimitSchema,
  cursor: cursorSchema.optional(),
});
export type ListJobsQuery = z.output<typeof listJobsQuerySchema>;

/** A page of jobs, newest first. */
export const jobListSchema = z.object({
  jobs: z.array(jobSchema).meta({
    description:
      'Without results, and without the progress of unfinished jobs: read the job for those',
  }),
  next: z
    .string()
    .optional()
    .meta({ description: 'The cursor of the next page; absent on the last' }),
});
export type JobListRepresentation = z.output<typeof jobListSchema>;
