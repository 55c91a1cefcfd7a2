import type { Operation } from '../operation.ts';
import { uploadRequestSchema, uploadSchema } from '../upload.ts';

/** Inputs too large for a body. */
export const UPLOAD_OPERATIONS = {
  createUpload: {
    tag: 'jobs',
    description:
      'PUT exactly the announced bytes to `url`, with all `headers`, then submit `inputRef` in place of `input`. An upload may be submitted for two days.',
    body: {
      schema: uploadRequestSchema,
      description: 'What is going to be uploaded',
      examples: {
        twelveMegabytes: {
          summary: 'An input of 12 MB',
          value: {
            sizeBytes: 12_000_000,
            sha256: '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
          },
        },
      },
    },
    answers: { 201: { description: 'Where and how to upload', schema: uploadSchema } },
    problems: ['malformed_json', 'payload_too_large'],
  },
} as const satisfies Record<string, Operation>;
