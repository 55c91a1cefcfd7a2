import * as z from 'zod';

const instant = z.iso.datetime();

/** Events of a job that somebody is told of. */
export const jobEventSchema = z.enum([
  'job.succeeded',
  'job.failed',
  'job.cancelled',
  'job.waiting',
]);

/** One notification of a job to one receiver, with what came of it. */
export const deliverySchema = z.object({
  deliveryId: z.string().meta({ description: 'The `webhook-id` of every try' }),
  event: jobEventSchema,
  url: z.string(),
  status: z.enum(['pending', 'delivered', 'failed', 'stopped']).meta({
    description: 'failed: given up after every try of its time; stopped: the receiver answered 410',
  }),
  tries: z.array(
    z.object({
      at: instant,
      status: z.number().int().optional().meta({ description: 'HTTP status of the answer' }),
      error: z.string().optional().meta({ description: 'Why there was no answer' }),
      durationMs: z.number(),
    }),
  ),
  nextTryAt: instant
    .optional()
    .meta({ description: 'Of a pending one: when it is tried next, at the earliest' }),
  createdAt: instant,
});
export type DeliveryRepresentation = z.output<typeof deliverySchema>;

/** Deliveries of a job, oldest first. */
export const deliveriesSchema = z.object({ deliveries: z.array(deliverySchema) });
