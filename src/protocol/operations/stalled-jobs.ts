import type { Operation } from '../operation.ts';
import { stalledJobListSchema, stalledJobsQuerySchema } from '../stalled-jobs.ts';

/** Jobs that do not go on. */
export const STALLED_JOB_OPERATIONS = {
  listStalledJobs: {
    tag: 'operations',
    description:
      "The newest job first. A page looks at a bounded number of the tenant's jobs, whatever their status: it may have fewer rows than `limit`, even none, and still a `next`.",
    query: stalledJobsQuerySchema,
    answers: { 200: { description: 'A page of stalled jobs', schema: stalledJobListSchema } },
    problems: ['invalid_cursor'],
  },
} as const satisfies Record<string, Operation>;
