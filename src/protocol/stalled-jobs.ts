import * as z from 'zod';
import { jobSchema } from './job.ts';
import { cursorSchema, pageLimitSchema } from './job-list.ts';
import { agentNameSchema, durationSchema, instantSchema } from './submit-request.ts';

/** Query of `GET /stalled-jobs`. */
export const stalledJobsQuerySchema = z.object({
  waitingLonger: durationSchema.default('24h').meta({
    description: 'What waits or is paused for no longer than this is left out',
    examples: ['1h'],
  }),
  agent: agentNameSchema.optional(),
  createdAfter: instantSchema.optional(),
  limit: pageLimitSchema,
  cursor: cursorSchema.optional(),
});

/** A job that stands still, and why. */
export const stalledJobSchema = z.object({
  ...jobSchema.pick({ jobId: true, agent: true, status: true, createdAt: true }).shape,
  kind: z.enum(['overdue', 'agent_unavailable', 'paused', 'waiting']).meta({
    description:
      '`overdue`: what should have happened by itself has not. `agent_unavailable`: it waits for a deploy. `waiting`: as it is meant to, but for long',
  }),
  reason: z.string().meta({
    description: 'The same in words, for people: the wording may change',
    examples: [
      'waits for the signal "decision" since 2030-01-01T12:00:00.000Z, until 2030-01-31T12:00:00.000Z at the latest',
    ],
  }),
  since: z.iso.datetime(),
  until: z.iso.datetime().optional().meta({
    description: 'When it goes on or ends by itself at the latest; absent when it is overdue',
  }),
  links: z.object({ job: z.string(), trace: z.string() }),
});
export type StalledJobRepresentation = z.output<typeof stalledJobSchema>;

/** A page of stalled jobs, the newest job first. */
export const stalledJobListSchema = z.object({
  stalledJobs: z.array(stalledJobSchema),
  next: z
    .string()
    .optional()
    .meta({ description: 'The cursor of the next page; absent on the last' }),
});
export type StalledJobListRepresentation = z.output<typeof stalledJobListSchema>;
