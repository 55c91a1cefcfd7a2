import * as z from 'zod';
import { jobEventSchema } from './delivery.ts';
import { jobSchema } from './job.ts';

/** Body of a webhook. */
export const webhookSchema = z.object({
  type: jobEventSchema,
  timestamp: z.iso.datetime().meta({ description: 'Of the event, the same in every try' }),
  data: jobSchema.omit({ notify: true, resultUrl: true, resultUrlExpiresAt: true }).meta({
    description: 'The job in that moment, with its result if that is small',
  }),
});
export type Webhook = z.output<typeof webhookSchema>;
