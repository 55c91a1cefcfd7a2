import * as z from 'zod';
import { jobSchema } from './job.ts';
import { LIMITS } from './limits.ts';
import { problemSchema } from './problem.ts';
import { submitRequestSchema } from './submit-request.ts';

/** One entry of a batch: what `POST /jobs` takes, and its idempotency key. */
export const batchEntrySchema = submitRequestSchema.safeExtend({
  idempotencyKey: z
    .string()
    .optional()
    .meta({ description: 'As the header `Idempotency-Key` of `POST /jobs`' }),
});

/** Body of `POST /jobs/batch`. Entries are checked one by one: a bad one has an outcome of its own. */
export const batchRequestSchema = z.strictObject({
  jobs: z
    .array(z.union([batchEntrySchema, z.unknown()]))
    .min(1)
    .max(LIMITS.batchJobs),
});

/** What came of one entry. */
export const batchOutcomeSchema = z.union([
  z.object({
    status: z.literal(202),
    job: jobSchema,
    replayed: z
      .literal(true)
      .optional()
      .meta({ description: 'The same submission had made the job before' }),
  }),
  z.object({ status: z.int().min(400).max(599), problem: problemSchema }),
]);
export type BatchOutcomeRepresentation = z.output<typeof batchOutcomeSchema>;

/** In the order of the entries. */
export const batchAnswerSchema = z.object({ outcomes: z.array(batchOutcomeSchema) });
export type BatchAnswer = z.output<typeof batchAnswerSchema>;
