import * as z from 'zod';
import { defineAgent } from '../src/agent/index.ts';
import { CATEGORIES } from './ticket-report/categories.ts';
import { classifiedSchema, type Classified, ticketSchema } from './ticket-report/ticket.ts';
import { writeReport } from './ticket-report/write-report.ts';

const row = z.object({
  category: z.enum(CATEGORIES),
  tickets: z.number(),
  urgent: z.number(),
  percent: z.number(),
});

/** Reports on a heap of support tickets: a supervisor that gives them to sub-jobs and joins what these find. */
export const ticketReport = defineAgent({
  name: 'ticket-report',
  input: z.object({
    tickets: z.array(ticketSchema).min(1).max(500),
    /** Tickets that one sub-job gets. */
    ticketsPerJob: z.int().min(1).max(100).default(10),
  }),
  output: z.object({
    tickets: z.number(),
    categories: z.array(row),
    urgent: z.array(classifiedSchema),
    jobs: z.number(),
    /** Tickets of sub-jobs that failed; the report does without them. */
    missing: z.array(z.string()),
  }),
  limits: { maxDuration: '2h' },
  async run(ctx, { tickets, ticketsPerJob }) {
    const batches = Array.from({ length: Math.ceil(tickets.length / ticketsPerJob) }, (_, index) =>
      tickets.slice(index * ticketsPerJob, (index + 1) * ticketsPerJob),
    );
    const handles = await ctx.map('batch', batches, { concurrency: 25 }, (batch, scope) =>
      scope.spawn('classify', 'classify-tickets', { tickets: batch }),
    );
    ctx.progress({ completed: 0, total: batches.length, message: 'sub-jobs are at work' });
    const results = await ctx.join<{ classified: Classified[] }>(handles, { onFailure: 'collect' });
    const classified = results.flatMap((result) =>
      result.status === 'succeeded' ? result.value.classified : [],
    );
    const missing = results.flatMap(({ status }, index) =>
      status === 'succeeded' ? [] : (batches[index] ?? []).map(({ id }) => id),
    );
    ctx.progress({ completed: batches.length - failures(results), message: 'writing the report' });
    const report = await ctx.step('report', () => writeReport(classified));
    return { ...report, jobs: batches.length, missing };
  },
});

function failures(results: readonly { readonly status: string }[]): number {
  return results.filter(({ status }) => status !== 'succeeded').length;
}
