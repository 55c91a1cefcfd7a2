import * as z from 'zod';
import { LIMITS } from './limits.ts';
import { notifySchema } from './notify.ts';
import { inputRefSchema } from './upload.ts';

/** Half a surrogate pair has no UTF-8: a store would keep something else than what was sent. */
const isText = (text: string): boolean => text.isWellFormed();
const notText = { error: 'holds half a surrogate pair' };

export const metadataSchema = z
  .record(
    z.string().min(1).max(LIMITS.metadataKeyCharacters).refine(isText, notText),
    z.string().max(LIMITS.metadataValueCharacters).refine(isText, notText),
  )
  .refine((entries) => Object.keys(entries).length <= LIMITS.metadataEntries, {
    error: `has more than ${LIMITS.metadataEntries} entries`,
  })
  .meta({ maxProperties: LIMITS.metadataEntries });

export const agentNameSchema = z.string().min(1).max(64);

export const tagSchema = z
  .string()
  .regex(/^[A-Za-z0-9._:-]+$/, { error: 'a tag consists of A-Z a-z 0-9 . _ : -' })
  .min(1)
  .max(LIMITS.tagCharacters);

export const durationSchema = z.string().regex(/^\d{1,11}(\.\d{1,9})?(ms|s|m|h|d)$/, {
  error: "is no duration: write a number and a unit, such as '90s', '5m', '2h' or '30d'",
});

export const tagsSchema = z.array(tagSchema).max(LIMITS.tags);

/** An instant of a request, in ISO 8601. */
export const instantSchema = z.iso.datetime({
  offset: true,
  error: 'is no instant: write it as 2030-01-31T12:00:00Z',
});

export const jobLimitsSchema = z.strictObject({
  maxSteps: z.int().min(1).max(100_000).optional(),
  maxDuration: durationSchema.optional().meta({ description: 'From the start of the job on' }),
});

/** Body of `POST /jobs`. Unknown fields are refused, so that a misspelt one is not silently ignored. */
export const submitRequestSchema = z
  .strictObject({
    agent: agentNameSchema.meta({ description: 'Name of the agent that does the job' }),
    input: z
      .unknown()
      .optional()
      .meta({ description: "Any JSON value the agent's schema accepts; or `inputRef`" }),
    inputRef: inputRefSchema
      .optional()
      .meta({ description: 'An input that was uploaded, in place of `input`' }),
    metadata: metadataSchema
      .optional()
      .meta({ description: `Text entries of the caller, given back with the job` }),
    tags: tagsSchema
      .optional()
      .meta({ description: 'Labels of the caller, given back with the job' }),
    notify: notifySchema.optional().meta({
      description: 'Where the caller wants to be told of the end of the job and of waits',
    }),
    limits: jobLimitsSchema
      .optional()
      .meta({ description: 'Bounds of this job, tighter than its agent’s' }),
    delay: durationSchema
      .optional()
      .meta({ description: 'So long after it was accepted the job is to start, 365 days at most' }),
    startAt: instantSchema.optional().meta({
      description: 'When the job is to start, in place of `delay`; at once if it is past',
    }),
  })
  .refine(({ delay, startAt }) => delay === undefined || startAt === undefined, {
    path: ['startAt'],
    error: 'is there beside delay: send one of them',
  })
  .refine(({ input, inputRef }) => input !== undefined || inputRef !== undefined, {
    path: ['input'],
    error: 'is required, or inputRef',
    // Told together with the faults of other fields.
    when: ({ value }) => typeof value === 'object' && value !== null && !Array.isArray(value),
  })
  .refine(({ input, inputRef }) => input === undefined || inputRef === undefined, {
    path: ['inputRef'],
    error: 'is there beside input: send one of them',
  })
  .refine(({ metadata, tags }) => annotationBytes({ metadata, tags }) <= LIMITS.annotationBytes, {
    path: ['metadata'],
    error: `metadata and tags together exceed ${LIMITS.annotationBytes} bytes of JSON: put larger facts into input`,
  })
  .meta({
    oneOf: [{ required: ['input'] }, { required: ['inputRef'] }],
    not: { required: ['delay', 'startAt'] },
  });

export type SubmitRequest = z.output<typeof submitRequestSchema>;

/** UTF-8 bytes of metadata and tags as JSON. */
export function annotationBytes(annotations: {
  readonly metadata?: unknown;
  readonly tags?: unknown;
}): number {
  const { metadata, tags } = annotations;
  const json = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));
  return new TextEncoder().encode(json(metadata) + json(tags)).byteLength;
}
