import { defineRegistry } from '../src/agent/index.ts';
import { classifyTickets } from './classify-tickets.ts';
import { greet } from './greet.ts';
import { refundApproval } from './refund-approval.ts';
import { summarizeDocument } from './summarize-document.ts';
import { ticketReport } from './ticket-report.ts';

/** The agents of this deployment. */
export const registry = defineRegistry(
  greet,
  summarizeDocument,
  refundApproval,
  ticketReport,
  classifyTickets,
);
