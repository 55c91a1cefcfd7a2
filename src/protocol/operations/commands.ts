import * as z from 'zod';
import { acceptedHeaders, jobHeaders } from '../answer-headers.ts';
import {
  forkRequestSchema,
  noFieldsSchema,
  retryRequestSchema,
  signalNameSchema,
} from '../command-requests.ts';
import { jobSchema } from '../job.ts';
import { LIMITS } from '../limits.ts';
import type { Operation } from '../operation.ts';
import { idempotencyHeaders, jobPath } from '../parameters.ts';

/** A command without fields. */
const control = {
  tag: 'commands',
  description:
    'May be sent again: what is done already is answered with 200, too. 409 where the status of the job does not allow it.',
  path: jobPath,
  body: { schema: noFieldsSchema, description: 'Has no fields', optional: true },
  answers: { 200: { description: 'The job as it is now', schema: jobSchema, headers: jobHeaders } },
  problems: ['malformed_json', 'not_found', 'conflict', 'payload_too_large'],
} as const satisfies Operation;

/** What changes a job from outside. */
export const COMMAND_OPERATIONS = {
  cancelJob: control,
  pauseJob: control,
  resumeJob: control,
  retryJob: {
    ...control,
    description:
      'What succeeded is kept and what failed is tried again; with `fromStep` all that was recorded before that step is kept, but for what the job failed by. The same retry sent again is answered with 200.',
    body: {
      schema: retryRequestSchema,
      description: 'Where to go on, and with which advice',
      optional: true,
      examples: {
        hint: {
          summary: 'Again from a step, with advice',
          value: { hint: 'ask for the invoice first', fromStep: 'draft' },
        },
      },
    },
    problems: [...control.problems, 'agent_not_allowed', 'unknown_step'],
  },
  forkJob: {
    tag: 'commands',
    description:
      'The new job has the same input, metadata and tags, and begins with all that was recorded before `fromStep`. Without a key each fork is a new job.',
    path: jobPath,
    headers: idempotencyHeaders,
    body: {
      schema: forkRequestSchema,
      description: 'Where to go on, and with which advice',
      examples: {
        secondOpinion: {
          summary: 'Another outcome of one step',
          value: { fromStep: 'refund', hint: 'smaller amount' },
        },
      },
    },
    answers: {
      202: { description: 'The new job is accepted', schema: jobSchema, headers: acceptedHeaders },
    },
    problems: [
      ...control.problems,
      'agent_not_allowed',
      'unknown_step',
      'invalid_idempotency_key',
      'idempotency_in_progress',
      'idempotency_key_reused',
    ],
  },
  signalJob: {
    tag: 'commands',
    description: `Counts whether the job waits for it already or not. \`Idempotency-Key\` is the id of the signal; without one the id follows from the body, so that two signals of the same name and body are one. A job takes ${LIMITS.signals} signals in all.`,
    path: jobPath.extend({
      name: signalNameSchema.meta({ description: 'Name of the signal', examples: ['decision'] }),
    }),
    headers: idempotencyHeaders,
    body: {
      schema: z.unknown().meta({ description: 'Any JSON value' }),
      description: 'What the job is told',
      examples: {
        decision: { summary: 'A decision', value: { approved: true, by: 'Grace' } },
      },
    },
    answers: {
      202: { description: 'The job as it is now', schema: jobSchema, headers: jobHeaders },
    },
    problems: [...control.problems, 'invalid_idempotency_key', 'idempotency_key_reused'],
  },
} as const satisfies Record<string, Operation>;
