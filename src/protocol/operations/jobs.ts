import * as z from 'zod';
import { endedHeaders, heldJobHeaders, submittedHeaders } from '../answer-headers.ts';
import { batchAnswerSchema, batchRequestSchema } from '../batch.ts';
import { jobListSchema, listJobsQuerySchema } from '../job-list.ts';
import { jobSchema } from '../job.ts';
import { EVENT_STREAM_SECONDS } from '../limits.ts';
import type { Operation } from '../operation.ts';
import {
  eventPosition,
  idempotencyHeaders,
  ifNoneMatchHeaders,
  jobPath,
  preferHeaders,
  tracingHeaders,
} from '../parameters.ts';
import { submitRequestSchema } from '../submit-request.ts';
import { traceSchema } from '../trace.ts';

/** Submitting and reading. */
export const JOB_OPERATIONS = {
  submitJob: {
    tag: 'jobs',
    description:
      'Answers as soon as the job is stored. From then on it comes to an end, whatever fails; follow it at `Location`. With `Prefer: wait=N` the answer is held back for up to N seconds and brings the job if it ends in time.',
    headers: idempotencyHeaders.extend({ ...preferHeaders.shape, ...tracingHeaders.shape }),
    body: {
      schema: submitRequestSchema,
      description: 'What is to be done, and by whom',
      examples: {
        refund: {
          summary: 'A refund that a person has to approve',
          value: {
            agent: 'refund-approval',
            input: {
              orderId: '17',
              customer: 'Ada',
              amountCents: 4200,
              currency: 'EUR',
              reason: 'broken',
            },
            metadata: { desk: 'north' },
            tags: ['refund'],
          },
        },
        later: {
          summary: 'A job that starts in two hours, within limits of its own',
          value: {
            agent: 'greet',
            input: { names: ['Ada'] },
            limits: { maxSteps: 50, maxDuration: '10m' },
            delay: '2h',
          },
        },
        uploaded: {
          summary: 'A large input that was uploaded',
          value: {
            agent: 'summarize-document',
            inputRef: {
              uploadId:
                'upl_01j3v8k2m4n6p8q0r2s4t6v8w0_758bk_9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
            },
          },
        },
      },
    },
    answers: {
      200: {
        description: 'The job, which has ended while the caller waited',
        schema: jobSchema,
        headers: endedHeaders,
      },
      202: { description: 'The job is accepted', schema: jobSchema, headers: submittedHeaders },
    },
    problems: [
      'malformed_json',
      'invalid_idempotency_key',
      'idempotency_in_progress',
      'payload_too_large',
      'agent_not_allowed',
      'unknown_agent',
      'invalid_input',
      'invalid_limits',
      'upload_missing',
      'upload_mismatch',
      'idempotency_key_reused',
    ],
  },
  submitBatch: {
    tag: 'jobs',
    description:
      'Each entry is a submission like the body of `POST /jobs`, with its `idempotencyKey`, and is accepted or refused by itself, as a request of its own would be. The answer is 200 whatever the outcomes are. Entries with the same key are taken one after the other. Send the same batch again when there was no answer: entries with a key make no second job.',
    headers: tracingHeaders,
    body: {
      schema: batchRequestSchema,
      description: 'The submissions, 2 MiB in all',
      examples: {
        two: {
          summary: 'Two jobs',
          value: {
            jobs: [
              { agent: 'greet', input: { names: ['Ada'] }, idempotencyKey: 'guest-1' },
              { agent: 'greet', input: { names: ['Grace'] }, idempotencyKey: 'guest-2' },
            ],
          },
        },
      },
    },
    answers: { 200: { description: 'What came of each entry', schema: batchAnswerSchema } },
    problems: ['malformed_json', 'payload_too_large'],
  },
  listJobs: {
    tag: 'jobs',
    description:
      'Newest first, sub-jobs included. A page looks at a bounded number of jobs: it may have fewer rows than `limit`, even none, and still a `next`.',
    query: listJobsQuerySchema,
    answers: {
      200: { description: 'A page of the list', schema: jobListSchema },
    },
    problems: ['invalid_cursor'],
  },
  getJob: {
    tag: 'jobs',
    description:
      'With `Prefer: wait=N` the answer is held back until the job changes, for N seconds at most: until it is no longer as `If-None-Match` says, or else as it was when the request came. A job that has ended is shown at once.',
    path: jobPath,
    headers: preferHeaders.extend(ifNoneMatchHeaders.shape),
    answers: {
      200: { description: 'The job', schema: jobSchema, headers: heldJobHeaders },
      304: { description: 'The job is as `If-None-Match` says', headers: heldJobHeaders },
    },
    problems: ['not_found'],
  },
  getTrace: {
    tag: 'jobs',
    description: 'In parts of at most 1 MB; ask for the following one with `next` as `cursor`.',
    path: jobPath,
    query: z.object({
      cursor: z.string().optional().meta({ description: '`next` of an earlier answer' }),
    }),
    answers: { 200: { description: 'A part of the history', schema: traceSchema } },
    problems: ['not_found'],
  },
  followJob: {
    tag: 'jobs',
    description: `Server-sent events: one for each entry of the trace, in its order, with the entry as \`data\` and its type as \`event\`. \`id\` is the place of an entry in the history: sent back as \`Last-Event-ID\` or \`after\`, the stream goes on behind it, with nothing missed and nothing twice. It ends after the final event, or after ${EVENT_STREAM_SECONDS} seconds, to be opened again. Where no more streams can be opened the answer is 503: poll the job instead.`,
    path: jobPath,
    headers: eventPosition.header,
    query: eventPosition.query,
    answers: {
      200: {
        description: 'The events behind the position, or from the first on',
        mediaType: 'text/event-stream',
        schema: z.string(),
      },
      204: { description: 'The job has ended, and its final event was seen' },
    },
    problems: ['not_found'],
  },
} as const satisfies Record<string, Operation>;
