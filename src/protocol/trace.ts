import * as z from 'zod';
import { errorCauseSchema, jobErrorSchema, jobStatusSchema } from './job.ts';

const base = {
  at: z.iso.datetime(),
  attempt: z.number().int().meta({ description: '0: before the first attempt' }),
  generation: z.number().int().meta({ description: 'One more with every user retry' }),
  agentVersion: z
    .string()
    .optional()
    .meta({ description: 'Version of the agent: on the first entry of each attempt and the last' }),
};
const step = {
  ...base,
  step: z.string(),
  try: z.number().int(),
  startedAt: z.iso.datetime(),
  durationMs: z.number(),
};

const wait = {
  ...base,
  step: z.string(),
  name: z.string().meta({ description: 'Of the signal' }),
};

/** One thing that happened in a job. */
export const traceEntrySchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('job.submitted'), ...base, size: z.number().int() }),
  z.object({
    type: z.literal('attempt.started'),
    ...base,
    crashes: z.number().int(),
  }),
  z
    .object({ type: z.literal('step.started'), ...base, step: z.string(), try: z.number().int() })
    .meta({
      description: 'Only in an attempt after a crash: names the step that kills its worker',
    }),
  z.object({
    type: z.literal('step.succeeded'),
    ...step,
    size: z.number().int().meta({ description: 'Bytes of the outcome as JSON' }),
    outcome: z.unknown().optional().meta({ description: 'The outcome itself, if it is small' }),
  }),
  z.object({
    type: z.literal('step.failed'),
    ...step,
    error: errorCauseSchema,
    retryAt: z.iso.datetime().optional().meta({ description: 'Absent when no try is left' }),
  }),
  z.object({
    type: z.literal('sleep.started'),
    ...base,
    step: z.string(),
    until: z.iso.datetime(),
  }),
  z.object({
    type: z.literal('wait.started'),
    ...wait,
    until: z.iso.datetime().optional().meta({ description: 'End of the wait, when it has one' }),
  }),
  z.object({ type: z.literal('wait.timed_out'), ...wait }),
  z.object({
    type: z.literal('signal.received'),
    ...wait,
    signalId: z.string(),
    size: z.number().int(),
    body: z.unknown().optional().meta({ description: 'What the signal carried, if it is small' }),
  }),
  z.object({
    type: z.literal('signal.rejected'),
    ...wait,
    signalId: z.string(),
    error: errorCauseSchema,
  }),
  z.object({
    type: z.literal('child.spawned'),
    ...base,
    step: z.string(),
    childId: z.string(),
    agent: z.string(),
    cancelWithParent: z.boolean(),
  }),
  z.object({
    type: z.literal('child.finished'),
    ...base,
    childId: z.string(),
    status: jobStatusSchema,
    size: z.number().int().optional().meta({ description: 'Bytes of its result as JSON' }),
    error: jobErrorSchema.optional(),
  }),
  z.object({ type: z.literal('cancel.requested'), ...base }),
  z.object({ type: z.literal('pause.requested'), ...base }),
  z.object({ type: z.literal('job.resumed'), ...base }),
  z.object({
    type: z.literal('job.restarted'),
    ...base,
    previous: z.object({ status: jobStatusSchema, error: jobErrorSchema.optional() }),
    fromStep: z.string().optional(),
    hint: z.string().optional(),
  }),
  z.object({
    type: z.literal('progress.reported'),
    ...base,
    completed: z.number().optional(),
    total: z.number().optional(),
    message: z.string().optional(),
  }),
  z.object({
    type: z.literal('log.written'),
    ...base,
    step: z.string().optional().meta({ description: 'The step that wrote it, if one did' }),
    level: z.enum(['debug', 'info', 'warn', 'error']),
    message: z.string(),
    data: z.record(z.string(), z.unknown()).optional(),
  }),
  z.object({ type: z.literal('job.succeeded'), ...base, size: z.number().int() }),
  z.object({
    type: z.literal('job.failed'),
    ...base,
    error: jobErrorSchema,
    deadLettered: z.boolean(),
  }),
  z.object({
    type: z.literal('job.cancelled'),
    ...base,
    cleanUpError: errorCauseSchema.optional().meta({
      description: 'Why the clean-up of the agent did not come to its end, if it did not',
    }),
  }),
]);
export type TraceEntry = z.output<typeof traceEntrySchema>;

/** What happened in a job, in order. `next` is the `cursor` of the following page; the last page has none. */
export const traceSchema = z.object({
  jobId: z.string(),
  entries: z.array(traceEntrySchema),
  next: z.string().optional(),
});
export type TraceRepresentation = z.output<typeof traceSchema>;
