import * as z from 'zod';
import { noFieldsSchema } from '../command-requests.ts';
import { deliveriesSchema, deliverySchema } from '../delivery.ts';
import type { Operation } from '../operation.ts';
import { jobPath } from '../parameters.ts';

/** What became of the notifications of a job. */
export const DELIVERY_OPERATIONS = {
  listDeliveries: {
    tag: 'notifications',
    description: 'One for each event and receiver, oldest first.',
    path: jobPath,
    answers: { 200: { description: 'The deliveries', schema: deliveriesSchema } },
    problems: ['not_found'],
  },
  resendDelivery: {
    tag: 'notifications',
    description:
      'Also of one that was delivered. It is tried for as long as a new one; while one is pending nothing changes.',
    path: jobPath.extend({
      deliveryId: z.string().meta({
        description: 'Id of a delivery of the job, which is its `webhook-id`',
        examples: ['msg_01j9zq4m6t8v0x2y4a6c8e0g1h'],
      }),
    }),
    body: { schema: noFieldsSchema, description: 'Has no fields', optional: true },
    answers: { 202: { description: 'The delivery, pending', schema: deliverySchema } },
    problems: ['malformed_json', 'not_found', 'payload_too_large'],
  },
} as const satisfies Record<string, Operation>;
