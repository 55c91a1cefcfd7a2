import * as z from 'zod';
import { LIMITS } from './limits.ts';

/** `{jobId}` of a path. Text of another form is the id of no job: 404, as for a job of another tenant. */
export const jobPath = z.object({
  jobId: z.string().meta({
    description: 'Id of a job of the tenant whose key is sent: `job_` and 26 letters or digits',
    param: { id: 'JobId' },
    examples: ['job_01j9zq4m6t8v0x2y4a6c8e0g1h'],
  }),
});

const { idempotencyKeyCharacters: LONGEST } = LIMITS;
const QUOTED = String.raw`"(?:[ !#-\[\]-~]|\\["\\]){1,${LONGEST}}"`;
const BARE = String.raw`[!#-+\--~](?:[ !#-+\--~]{0,${LONGEST - 2}}[!#-+\--~])?`;

/** Request headers by which a repeated request is known. */
export const idempotencyHeaders = z.object({
  'Idempotency-Key': z
    .string()
    .regex(new RegExp(`^(?:${QUOTED}|${BARE})$`))
    .optional()
    .meta({
      description: `Any text of the caller, 1 to ${LIMITS.idempotencyKeyCharacters} printable ASCII characters, bare or as a quoted string; bare without quotes and commas. Unique per tenant. A request sent again under the same key is answered as before and does nothing twice`,
      param: { id: 'IdempotencyKey' },
      examples: ['order-17'],
    }),
});

/** Behind which event a stream goes on; the header goes before the query. */
export const eventPosition = {
  header: z.object({
    'Last-Event-ID': eventId('Event that was seen last, as `EventSource` sends it'),
  }),
  query: z.object({ after: eventId('The same, for clients that do not send the header') }),
} as const;

function eventId(description: string) {
  return z
    .string()
    .regex(/^\d{1,4}\.\d{1,10}\.\d{1,9}$/)
    .optional()
    .meta({ description, examples: ['1.12.0'] });
}

/** RFC 7240. */
export const preferHeaders = z.object({
  Prefer: z
    .string()
    .optional()
    .meta({
      description: `\`wait=N\`: hold the answer back for up to N seconds, ${LIMITS.waitSeconds} at most. \`respond-async\` may stand beside it. What is not known is ignored`,
      param: { id: 'Prefer' },
      examples: ['respond-async, wait=10'],
    }),
});

/** RFC 9110. */
export const ifNoneMatchHeaders = z.object({
  'If-None-Match': z
    .string()
    .optional()
    .meta({
      description: '`ETag` of an earlier answer: 304 as long as the job is as it was then',
      param: { id: 'IfNoneMatch' },
      examples: ['W/"Zb0gGqPX7c1rYk2TtWv3aQ"'],
    }),
});

/** W3C trace context. */
export const tracingHeaders = z.object({
  traceparent: z
    .string()
    .optional()
    .meta({
      description:
        'W3C trace context, which the logs and traces of the job carry; one that is not well-formed is ignored',
      param: { id: 'Traceparent' },
      examples: ['00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'],
    }),
});
