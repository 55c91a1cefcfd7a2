import * as z from 'zod';
import type { ProblemCode } from './problems.ts';

const seconds = z.int().min(0);

/** Headers of every answer, a success or not. */
export const everyAnswer = z.object({
  'x-request-id': z.string().meta({
    description: 'Names the request; it stands in the logs, too',
    header: { id: 'RequestId' },
  }),
});

/** Fields of answers' headers, to be picked by operations. */
export const answerHeaders = {
  retryAfter: seconds.meta({ description: 'Seconds after which to ask again at the earliest' }),
  location: z.string().meta({
    description: 'Path of the job, to be resolved against the address of the request',
    examples: ['/v1/jobs/job_01j9zq4m6t8v0x2y4a6c8e0g1h'],
  }),
  idempotentReplayed: z.literal('true').meta({
    description: 'The answer to an earlier request with the same `Idempotency-Key` is given again',
  }),
  wwwAuthenticate: z.string().meta({ description: 'How to authenticate', examples: ['Bearer'] }),
  etag: z
    .string()
    .meta({ description: 'Changes whenever the answer does', examples: ['"5f1c9a"'] }),
  preferenceApplied: z.string().meta({
    description: 'What of `Prefer` was honoured, `wait` as it was applied',
    examples: ['respond-async, wait=10'],
  }),
  vary: z.string().meta({ description: 'Request headers that the answer depends on' }),
} as const;

/** Of an answer that may have been held back. */
const preferenceHeaders = {
  Vary: answerHeaders.vary,
  'Preference-Applied': answerHeaders.preferenceApplied.optional(),
};

/** Of an answer that shows a job. */
export const jobHeaders = z.object({
  'Retry-After': answerHeaders.retryAfter
    .optional()
    .meta({ description: 'Seconds after which to ask again; absent once the job has ended' }),
});

/** Of an answer to who asks for a job, and may wait for its change. */
export const heldJobHeaders = jobHeaders.extend({
  ETag: answerHeaders.etag,
  ...preferenceHeaders,
});

/** Of a 202 that made a job. */
export const acceptedHeaders = z.object({
  Location: answerHeaders.location,
  'Retry-After': answerHeaders.retryAfter,
  'Idempotent-Replayed': answerHeaders.idempotentReplayed.optional(),
});

/** Of an answer to a submit. */
export const submittedHeaders = acceptedHeaders.extend(preferenceHeaders);

/** Of one that brings the job after its end. */
export const endedHeaders = submittedHeaders.omit({ 'Retry-After': true });

/** Headers of problems besides those of every answer; an optional one comes with some problems of the code. */
export const PROBLEM_HEADERS: Partial<Record<ProblemCode, z.ZodRawShape>> = {
  unauthorized: { 'WWW-Authenticate': answerHeaders.wwwAuthenticate.optional() },
  conflict: { 'Retry-After': answerHeaders.retryAfter.optional() },
  idempotency_in_progress: { 'Retry-After': answerHeaders.retryAfter },
  throttled: { 'Retry-After': answerHeaders.retryAfter },
  unavailable: { 'Retry-After': answerHeaders.retryAfter },
  method_not_allowed: { Allow: z.string().meta({ description: 'Methods that the path takes' }) },
};
