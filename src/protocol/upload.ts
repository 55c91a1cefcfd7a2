import * as z from 'zod';
import { LIMITS } from './limits.ts';

/** Body of `POST /uploads`. */
export const uploadRequestSchema = z.strictObject({
  sizeBytes: z
    .int()
    .min(1)
    // Said to the document only: the handler answers 413 with the limit.
    .meta({ description: 'Of the JSON text in UTF-8', maximum: LIMITS.uploadBytes }),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/, { error: 'is not 64 hexadecimal digits in lower case' })
    .meta({ description: 'Of the same bytes' }),
});
export type UploadRequest = z.output<typeof uploadRequestSchema>;

/** Names an upload in place of an input. */
export const inputRefSchema = z.strictObject({
  uploadId: z.string().min(1).max(128).meta({ description: 'As `POST /uploads` gave it' }),
});
export type InputRef = z.output<typeof inputRefSchema>;

/** Where and how to upload. */
export const uploadSchema = z.object({
  uploadId: z.string(),
  url: z.url(),
  method: z.literal('PUT'),
  headers: z
    .record(z.string(), z.string())
    .meta({ description: 'The PUT must carry them all, as they are' }),
  expiresAt: z.iso.datetime().meta({ description: 'The PUT must begin before' }),
  inputRef: inputRefSchema.meta({ description: 'For `POST /jobs` in place of `input`' }),
});
export type UploadRepresentation = z.output<typeof uploadSchema>;
