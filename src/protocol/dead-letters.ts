import * as z from 'zod';
import { hintSchema } from './command-requests.ts';
import { jobSchema } from './job.ts';
import { cursorSchema, pageLimitSchema } from './job-list.ts';
import { LIMITS } from './limits.ts';
import { agentNameSchema } from './submit-request.ts';

const errorCode = z
  .string()
  .regex(/^[a-z_]{1,64}$/, { error: 'is no code of an error: it consists of a-z and _' })
  .meta({ description: 'Code of the error that ended the job', examples: ['step_failed'] });

/** Query of `GET /dead-letters`. */
export const listDeadLettersQuerySchema = z.object({
  agent: agentNameSchema.optional(),
  code: errorCode.optional(),
  limit: pageLimitSchema,
  cursor: cursorSchema.optional(),
});

/** A job that was given up, in brief. */
export const deadLetterSchema = z.object({
  jobId: z.string(),
  agent: z.string(),
  generation: z.number().int(),
  code: z.string(),
  message: z.string(),
  step: z.string().optional().meta({ description: 'The step that failed, if one did' }),
  attempt: z.number().int(),
  cause: z
    .object({ name: z.string(), message: z.string(), code: z.string().optional() })
    .optional()
    .meta({ description: 'The error underneath; all of it is in the job' }),
  failedAt: z.iso.datetime(),
  links: z.object({ self: z.string(), job: z.string(), trace: z.string() }),
});
export type DeadLetterRepresentation = z.output<typeof deadLetterSchema>;

/** A page of dead letters, newest first. */
export const deadLetterListSchema = z.object({
  deadLetters: z.array(deadLetterSchema),
  next: z
    .string()
    .optional()
    .meta({ description: 'The cursor of the next page; absent on the last' }),
});
export type DeadLetterListRepresentation = z.output<typeof deadLetterListSchema>;

/** A dead letter with what is needed to find out why. */
export const deadLetterDetailSchema = deadLetterSchema.extend({
  input: z
    .object({
      sizeBytes: z.number().int(),
      key: z.string().optional().meta({ description: 'Of the object in the payload bucket' }),
      sha256: z.string().optional(),
    })
    .meta({ description: 'Where the input is kept; without a key in the table' }),
  job: jobSchema,
});
export type DeadLetterDetail = z.output<typeof deadLetterDetailSchema>;

/** Body of `POST /dead-letters/redrive`: `jobIds`, or `all` with filters. */
export const redriveRequestSchema = z
  .strictObject({
    jobIds: z
      .array(z.string().min(1).max(64))
      .min(1)
      .max(LIMITS.pageRows)
      .optional()
      .meta({ description: 'Some dead letters' }),
    all: z
      .literal(true)
      .optional()
      .meta({ description: 'All dead letters that the filters leave' }),
    agent: agentNameSchema.optional(),
    code: errorCode.optional(),
    limit: z
      .int()
      .min(1)
      .max(LIMITS.pageRows)
      .optional()
      .meta({ description: 'Jobs that the request takes, so that the caller sets the pace' }),
    cursor: cursorSchema.optional(),
    hint: hintSchema.optional(),
  })
  .refine(({ jobIds, all }) => (jobIds === undefined) !== (all === undefined), {
    path: ['jobIds'],
    error: 'send either jobIds or all',
  })
  .refine(
    ({ jobIds, agent, code, limit, cursor }) =>
      jobIds === undefined || (agent ?? code ?? limit ?? cursor) === undefined,
    { path: ['jobIds'], error: 'agent, code, limit and cursor go with all' },
  )
  .meta({
    oneOf: [{ required: ['jobIds'] }, { required: ['all'] }],
    dependentRequired: { agent: ['all'], code: ['all'], limit: ['all'], cursor: ['all'] },
  });
export type RedriveRequest = z.output<typeof redriveRequestSchema>;

/** What became of the dead letters that were to be redriven. */
export const redriveSchema = z.object({
  outcomes: z.array(
    z.object({
      jobId: z.string(),
      outcome: z.enum(['redriven', 'already_redriven', 'not_found', 'refused']),
      detail: z.string().optional(),
    }),
  ),
  more: z.boolean().meta({
    description:
      'Not all were looked at: send the rest of `jobIds`, or `all` with `next` as `cursor`',
  }),
  next: z.string().optional().meta({ description: 'The cursor to go on with, when `more`' }),
  queue: z
    .object({
      examined: z.number().int(),
      removed: z.number().int(),
      unreadable: z.number().int().meta({
        description: 'Messages seen that belong to no job; an operator has to look at them',
      }),
    })
    .optional()
    .meta({
      description:
        'What a look at the dead-letter queue came to; messages it has left are removed within minutes',
    }),
});
export type RedriveRepresentation = z.output<typeof redriveSchema>;
