import * as z from 'zod';
import { LIMITS } from './limits.ts';

export const hintSchema = z
  .string()
  .max(LIMITS.hintCharacters)
  .regex(/\S/, { error: 'is empty: leave the field out, or say something' })
  .refine((text) => text.isWellFormed(), { error: 'holds half a surrogate pair' })
  .meta({ description: 'Advice in words, which the agent reads as `ctx.hints`' });

const fromStep = z
  .string()
  .min(1)
  .max(LIMITS.fromStepCharacters)
  .meta({ description: 'Id of the first step to run again, as the trace shows it' });

/** Body of `POST /jobs/{jobId}/retry`; may be left out. */
export const retryRequestSchema = z.strictObject({
  hint: hintSchema.optional(),
  fromStep: fromStep.optional(),
});
export type RetryRequest = z.output<typeof retryRequestSchema>;

/** Body of `POST /jobs/{jobId}/fork`. */
export const forkRequestSchema = z.strictObject({ fromStep, hint: hintSchema.optional() });
export type ForkRequest = z.output<typeof forkRequestSchema>;

/** Body of a command without fields; may be left out. */
export const noFieldsSchema = z.strictObject({});

/** `{name}` of `POST /jobs/{jobId}/signals/{name}`. */
export const signalNameSchema = z
  .string()
  .regex(new RegExp(`^[A-Za-z0-9._-]{1,${LIMITS.signalNameCharacters}}$`), {
    error: `the name of a signal is 1 to ${LIMITS.signalNameCharacters} of A-Z a-z 0-9 . _ -`,
  });
