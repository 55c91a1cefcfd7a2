import * as z from 'zod';
import { notifySchema } from './notify.ts';

const instant = z.iso.datetime();

/** An error underneath another, as the step threw it. */
export interface ErrorCause {
  readonly name: string;
  readonly message: string;
  readonly code?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: ErrorCause | undefined;
}

/** An `ErrorCause` on the wire; the stack of the error stays in the journal. */
export const errorCauseSchema: z.ZodType<ErrorCause> = z.object({
  name: z.string(),
  message: z.string(),
  code: z.string().optional(),
  details: z.record(z.string(), z.unknown()).optional(),
  get cause() {
    return errorCauseSchema.optional();
  },
});

/** What ended a failed job: enough to reproduce it. */
export const jobErrorSchema = z.object({
  code: z.string(),
  message: z.string(),
  step: z.string().optional(),
  attempt: z.number().int(),
  cause: errorCauseSchema.optional(),
});
export type JobErrorRepresentation = z.output<typeof jobErrorSchema>;

/** Where a job stands; the last three are final. */
export const jobStatusSchema = z.enum([
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'cancelled',
]);

/** A job as the API shows it. */
export const jobSchema = z.object({
  jobId: z.string(),
  agent: z.string(),
  status: jobStatusSchema,
  waitingFor: z
    .object({
      reason: z.string().meta({
        description:
          '`worker` while queued; else what a waiting job waits for: start, sleep, signal, children, retry, …',
      }),
      name: z.string().optional().meta({ description: 'Name of the signal it waits for' }),
      until: instant
        .optional()
        .meta({ description: 'When somebody looks at the job again at the latest' }),
    })
    .optional(),
  progress: z
    .object({
      completed: z.number().optional(),
      total: z.number().optional(),
      message: z.string().optional(),
    })
    .optional(),
  result: z.unknown().optional().meta({ description: 'Of a succeeded job, if it is small' }),
  resultUrl: z
    .url()
    .optional()
    .meta({ description: 'Of a succeeded job with a large result: read it there, without a key' }),
  resultUrlExpiresAt: instant.optional(),
  error: jobErrorSchema.optional(),
  deadLettered: z.boolean().optional(),
  paused: z.boolean().optional().meta({
    description: 'A worker lets go at its next step boundary; none goes on before resume',
  }),
  cancelRequestedAt: instant.optional().meta({
    description:
      'When a cancel was accepted; a job may still succeed before its worker learns of it',
  }),
  parentId: z.string().optional().meta({ description: 'The job that spawned this one' }),
  forkOf: z.string().optional().meta({ description: 'The job this one was forked from' }),
  metadata: z.record(z.string(), z.string()).optional(),
  tags: z.array(z.string()).optional(),
  notify: notifySchema.optional(),
  limits: z
    .object({ maxSteps: z.int().optional(), maxDuration: z.string().optional() })
    .optional()
    .meta({ description: 'Bounds of this job that are tighter than its agent’s' }),
  createdAt: instant,
  startAt: instant.optional().meta({ description: 'When it was to start, if not at once' }),
  updatedAt: instant,
  startedAt: instant.optional(),
  restartedAt: instant.optional().meta({ description: 'When it was last restarted by a retry' }),
  finishedAt: instant.optional(),
  attempts: z.number().int().meta({ description: 'Leased tries to advance the job so far' }),
  generation: z.number().int().meta({ description: '1, and one more with every retry' }),
  hintCount: z
    .number()
    .int()
    .optional()
    .meta({ description: 'Hints given with retries and forks; absent when there is none' }),
  links: z.object({
    self: z.string(),
    trace: z.string(),
    events: z.string(),
    parent: z.string().optional(),
    forkOf: z.string().optional(),
  }),
});
export type JobRepresentation = z.output<typeof jobSchema>;
