import * as z from 'zod';
import { LIMITS } from './limits.ts';

/** What a webhook may be sent for. */
export const notifyEventSchema = z.enum(['succeeded', 'failed', 'cancelled', 'waiting']);

/** `notify` of a submission. The address itself is checked by who sends to it. */
export const notifySchema = z.strictObject({
  url: z
    .string()
    .min(1)
    .max(LIMITS.notifyUrlCharacters)
    .refine((text) => URL.canParse(text), { error: 'is not an absolute URL' })
    .meta({
      description: 'Public https address that signed webhooks are sent to',
      format: 'uri',
    }),
  events: z
    .array(notifyEventSchema)
    .min(1)
    .max(notifyEventSchema.options.length)
    .refine((events) => new Set(events).size === events.length, { error: 'names an event twice' })
    .meta({ uniqueItems: true })
    .optional()
    .meta({ description: 'Default: all of them' }),
});
export type Notify = z.output<typeof notifySchema>;
