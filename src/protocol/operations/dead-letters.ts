import {
  deadLetterDetailSchema,
  deadLetterListSchema,
  listDeadLettersQuerySchema,
  redriveRequestSchema,
  redriveSchema,
} from '../dead-letters.ts';
import type { Operation } from '../operation.ts';
import { jobPath } from '../parameters.ts';

/** Jobs that were given up. */
export const DEAD_LETTER_OPERATIONS = {
  listDeadLetters: {
    tag: 'operations',
    description:
      'Newest first. A page may have fewer rows than `limit`, even none, and still have a `next`.',
    query: listDeadLettersQuerySchema,
    answers: { 200: { description: 'A page of dead letters', schema: deadLetterListSchema } },
    problems: ['invalid_cursor'],
  },
  getDeadLetter: {
    tag: 'operations',
    path: jobPath,
    answers: {
      200: { description: 'The dead letter and its job', schema: deadLetterDetailSchema },
    },
    problems: ['not_found'],
  },
  redriveDeadLetters: {
    tag: 'operations',
    description:
      'Restarts each job as `POST /jobs/{jobId}/retry` does: what succeeded is kept. May be sent again; each job has an outcome of its own.',
    body: {
      schema: redriveRequestSchema,
      description: '`jobIds`, or `all` with filters',
      examples: {
        some: { summary: 'Some', value: { jobIds: ['job_01j3v8k2m4n6p8q0r2s4t6v8w0'] } },
        outage: {
          summary: 'All that one agent could not do',
          value: { all: true, agent: 'refund-approval', code: 'step_failed' },
        },
      },
    },
    answers: { 200: { description: 'What became of each', schema: redriveSchema } },
    problems: ['malformed_json', 'payload_too_large', 'invalid_cursor'],
  },
} as const satisfies Record<string, Operation>;
