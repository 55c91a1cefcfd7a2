import type { Operation } from '../operation.ts';
import { usageQuerySchema, usageSchema } from '../usage.ts';

/** About the tenant whose key is sent. */
export const TENANT_OPERATIONS = {
  getUsage: {
    tag: 'tenant',
    description:
      'Counted when a job ends, in the month in which it does. Good for an overview, not for a bill to the cent: what a worker finished just before it died may be missing.',
    query: usageQuerySchema,
    answers: {
      200: {
        description: 'What the jobs came to',
        schema: usageSchema,
        examples: {
          november: {
            summary: 'A month',
            value: {
              month: '2026-11',
              jobs: { succeeded: 1200, failed: 3, cancelled: 1 },
              steps: 6011,
            },
          },
        },
      },
    },
    problems: [],
  },
} as const satisfies Record<string, Operation>;
