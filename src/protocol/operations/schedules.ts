import * as z from 'zod';
import { noFieldsSchema } from '../command-requests.ts';
import type { Operation } from '../operation.ts';
import {
  scheduleListSchema,
  scheduleNameSchema,
  scheduleRequestSchema,
  scheduleSchema,
} from '../schedule.ts';

const path = z.object({
  name: scheduleNameSchema.meta({
    description: 'Name of the schedule, unique within the tenant',
    examples: ['daily-report'],
  }),
});

const example = {
  name: 'daily-report',
  origin: 'api',
  state: 'active',
  expression: 'cron(0 9 ? * MON-FRI *)',
  timezone: 'Europe/Berlin',
  agent: 'greet',
  input: { names: ['Ada'] },
  createdAt: '2026-11-29T12:00:00.000Z',
  updatedAt: '2026-11-29T12:00:00.000Z',
  nextRunAt: '2026-12-01T08:00:00.000Z',
  lastRun: {
    scheduledAt: '2026-11-30T08:00:00.000Z',
    ranAt: '2026-11-30T08:00:21.417Z',
    jobId: 'job_01j9zq4m6t8v0x2y4a6c8e0g1h',
  },
} as const;

const shown = { report: { summary: 'Every working day at nine in Berlin', value: example } };

/** `pause` and `resume`. */
const control = {
  tag: 'schedules',
  description: 'May be sent again: one that is so already is answered with 200, too.',
  path,
  body: { schema: noFieldsSchema, description: 'Has no fields', optional: true },
  answers: { 200: { description: 'The schedule as it is now', schema: scheduleSchema } },
  problems: ['malformed_json', 'not_found', 'conflict', 'payload_too_large'],
} as const satisfies Operation;

/** Jobs that are submitted again and again. */
export const SCHEDULE_OPERATIONS = {
  putSchedule: {
    tag: 'schedules',
    description:
      'May be sent again: the same schedule is answered with 200 and stays as it is; whether it is paused is not changed. Each run submits a job as `POST /jobs` would, under an idempotency key made of the name and the time the run was due. Agent and input are checked now, and again at each run.',
    path,
    body: {
      schema: scheduleRequestSchema,
      description: 'When to run, and what to submit then',
      examples: {
        report: {
          summary: 'Every working day at nine in Berlin',
          value: {
            expression: 'cron(0 9 ? * MON-FRI *)',
            timezone: 'Europe/Berlin',
            agent: 'greet',
            input: { names: ['Ada'] },
          },
        },
      },
    },
    answers: {
      200: { description: 'The schedule, which was there', schema: scheduleSchema },
      201: { description: 'The schedule, which is new', schema: scheduleSchema, examples: shown },
    },
    problems: [
      'malformed_json',
      'payload_too_large',
      'invalid_schedule',
      'too_many_schedules',
      'unknown_agent',
      'agent_not_allowed',
      'invalid_input',
      'invalid_limits',
      'conflict',
    ],
  },
  listSchedules: {
    tag: 'schedules',
    description:
      'All of them by name, those of the deployment first; there is a limit to how many a tenant may have, so they come at once. Without their input, which `GET /schedules/{name}` shows.',
    answers: { 200: { description: 'The schedules', schema: scheduleListSchema } },
    problems: [],
  },
  getSchedule: {
    tag: 'schedules',
    path,
    answers: { 200: { description: 'The schedule', schema: scheduleSchema, examples: shown } },
    problems: ['not_found'],
  },
  deleteSchedule: {
    tag: 'schedules',
    description: 'Jobs that it has submitted go on.',
    path,
    answers: { 204: { description: 'It is gone' } },
    problems: ['not_found', 'conflict'],
  },
  pauseSchedule: control,
  resumeSchedule: {
    ...control,
    description: `${control.description} What was missed meanwhile is not made up for.`,
  },
} as const satisfies Record<string, Operation>;
