import * as z from 'zod';
import { defineAgent } from '../src/agent/index.ts';
import { categoryOf } from './ticket-report/categories.ts';
import {
  classifiedSchema,
  type Classified,
  ticketSchema,
  type Ticket,
} from './ticket-report/ticket.ts';
import { urgencyOf } from './ticket-report/urgency.ts';

/** Sorts support tickets by what they are about and how much they press, one step each: the sub-job of `ticket-report`. */
export const classifyTickets = defineAgent({
  name: 'classify-tickets',
  input: z.object({ tickets: z.array(ticketSchema).min(1).max(100) }),
  output: z.object({ classified: z.array(classifiedSchema) }),
  limits: { maxDuration: '1h' },
  async run(ctx, { tickets }) {
    const classified = await ctx.map('ticket', tickets, { concurrency: 10 }, (ticket, scope) =>
      scope.step('classify', () => classify(ticket)),
    );
    return { classified };
  },
});

/** By keyword rules, so that the example needs no model; a call of one would stand here. */
function classify(ticket: Ticket): Classified {
  const category = categoryOf(ticket);
  return {
    id: ticket.id,
    subject: ticket.subject,
    category,
    urgency: urgencyOf(category, ticket),
  };
}
