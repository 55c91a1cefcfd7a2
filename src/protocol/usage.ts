import * as z from 'zod';

const month = z
  .string()
  .regex(/^\d{4}-(?:0[1-9]|1[0-2])$/, { error: 'write a month as YYYY-MM' })
  .meta({ description: 'A month of UTC', examples: ['2026-11'] });

/** Query of `GET /usage`. */
export const usageQuerySchema = z.object({
  month: month.optional().meta({ description: 'Default: the current month, of UTC' }),
});

const count = z.number().int().min(0);

/** What the jobs of a tenant came to in a month. */
export const usageSchema = z.object({
  month,
  jobs: z
    .object({ succeeded: count, failed: count, cancelled: count })
    .meta({ description: 'Jobs that ended, sub-jobs and retried ones included' }),
  steps: count.meta({ description: 'Steps that succeeded in them' }),
});
export type UsageRepresentation = z.output<typeof usageSchema>;
