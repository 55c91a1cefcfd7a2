import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { notifySchema } from './notify.ts';
import {
  agentNameSchema,
  annotationBytes,
  instantSchema,
  jobLimitsSchema,
  metadataSchema,
  tagsSchema,
} from './submit-request.ts';

/** `{name}` of `/schedules/{name}`. */
export const scheduleNameSchema = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9._-]{1,${LIMITS.scheduleNameCharacters}}$`), {
    error: `the name of a schedule is 1 to ${LIMITS.scheduleNameCharacters} of A-Z a-z 0-9 . _ -`,
  });

/** Text entries that a run adds to those of its job: the name of the schedule, and when it was due. */
export const RUN_METADATA = { schedule: 'schedule', scheduledAt: 'scheduledAt' } as const;

/** What a run adds at most. */
const RUN_METADATA_BYTES = JSON.stringify({
  [RUN_METADATA.schedule]: 'x'.repeat(LIMITS.scheduleNameCharacters),
  [RUN_METADATA.scheduledAt]: new Date(0).toISOString(),
}).length;

function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : new TextEncoder().encode(JSON.stringify(value)).byteLength;
}

/** Entries that a job of the schedule has; those of its own go before those that a run adds. */
function entriesOfRun(metadata: Readonly<Record<string, string>> = {}): number {
  return new Set([...Object.keys(metadata), ...Object.values(RUN_METADATA)]).size;
}

/** When a schedule runs. */
const timingFields = {
  expression: z
    .string()
    .max(LIMITS.expressionCharacters)
    .meta({
      description:
        '`cron(minutes hours day-of-month month day-of-week year)` or `rate(value unit)`, as EventBridge Scheduler has them: https://docs.aws.amazon.com/scheduler/latest/UserGuide/schedule-types.html',
      examples: ['cron(0 9 ? * MON-FRI *)', 'rate(15 minutes)'],
    }),
  timezone: z
    .string()
    .max(LIMITS.timezoneCharacters)
    .default('UTC')
    .meta({
      description: 'Name in the IANA database of the zone whose clocks a cron expression goes by',
      examples: ['Europe/Berlin'],
    }),
  startAt: instantSchema.optional().meta({ description: 'No run before it' }),
  endAt: instantSchema.optional().meta({ description: 'No run after it' }),
};

/** Body of `PUT /schedules/{name}`. */
export const scheduleRequestSchema = z
  .strictObject({
    ...timingFields,
    agent: agentNameSchema.meta({ description: 'Name of the agent that does the jobs' }),
    input: z
      .unknown()
      .optional()
      .meta({ description: "Any JSON value the agent's schema accepts, the same for each job" }),
    metadata: metadataSchema.optional().meta({
      description:
        'Text entries that each job has; `schedule` and `scheduledAt` are added unless they are among them',
    }),
    tags: tagsSchema.optional().meta({ description: 'Labels that each job has' }),
    limits: jobLimitsSchema.optional().meta({ description: 'Bounds of each job' }),
    notify: notifySchema.optional().meta({ description: 'Who is told of each job' }),
  })
  .refine(({ input }) => input !== undefined, {
    path: ['input'],
    error: 'is required',
    when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
  })
  // The body has its own limit; written anew a number may be longer, 1e20 for instance, and a configuration has no body.
  .refine(({ input }) => jsonBytes(input) <= LIMITS.scheduleBytes, {
    path: ['input'],
    error: `exceeds ${LIMITS.scheduleBytes} bytes of JSON: let a step of the agent fetch what is large`,
  })
  .refine(({ metadata }) => entriesOfRun(metadata) <= LIMITS.metadataEntries, {
    path: ['metadata'],
    error: `has more entries than are left of ${LIMITS.metadataEntries} beside schedule and scheduledAt, which each job is given`,
  })
  .refine(
    ({ metadata, tags }) =>
      annotationBytes({ metadata, tags }) <= LIMITS.annotationBytes - RUN_METADATA_BYTES,
    {
      path: ['metadata'],
      error: `metadata and tags together exceed ${LIMITS.annotationBytes - RUN_METADATA_BYTES} bytes of JSON: put larger facts into input`,
    },
  )
  .meta({ required: ['expression', 'agent', 'input'] });
export type ScheduleRequest = z.output<typeof scheduleRequestSchema>;

const instant = z.iso.datetime();

/** What came of a run. */
export const scheduleRunSchema = z.object({
  scheduledAt: instant.meta({ description: 'When it was due' }),
  ranAt: instant.meta({ description: 'When it was submitted, or refused' }),
  jobId: z.string().optional(),
  problem: z
    .object({ code: z.string(), detail: z.string() })
    .optional()
    .meta({ description: 'Why there is no job, as `POST /jobs` would have put it' }),
});
export type ScheduleRunRepresentation = z.output<typeof scheduleRunSchema>;

/** A schedule, as it is shown. */
export const scheduleSchema = z.object({
  name: scheduleNameSchema,
  origin: z.enum(['api', 'config']).meta({
    description: '`config`: one of the deployment, which only a deploy changes',
  }),
  state: z.enum(['active', 'paused', 'pending']).meta({
    description:
      '`pending`: the request that made or changed it did not come to its end; send it again',
  }),
  ...timingFields,
  timezone: z.string(),
  agent: z.string(),
  input: z.unknown().optional().meta({ description: 'Not in a list' }),
  metadata: z.record(z.string(), z.string()).optional(),
  tags: z.array(z.string()).optional(),
  limits: jobLimitsSchema.optional(),
  notify: notifySchema.optional(),
  createdAt: instant.optional(),
  updatedAt: instant.optional(),
  nextRunAt: instant.optional().meta({
    description:
      'Absent when it is paused or has ended, and for a rate of the deployment before its first run',
  }),
  lastRun: scheduleRunSchema.optional(),
});
export type ScheduleRepresentation = z.output<typeof scheduleSchema>;

/** Answer of `GET /schedules`. */
export const scheduleListSchema = z.object({ schedules: z.array(scheduleSchema) });
export type ScheduleListRepresentation = z.output<typeof scheduleListSchema>;
