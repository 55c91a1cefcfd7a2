import * as z from 'zod';
import { CATEGORIES } from './categories.ts';
import { URGENCIES } from './urgency.ts';

export const ticketSchema = z.object({
  id: z.string().min(1).max(64),
  subject: z.string().max(500),
  body: z.string().max(10_000),
});
export type Ticket = z.output<typeof ticketSchema>;

export const classifiedSchema = z.object({
  id: z.string(),
  subject: z.string(),
  category: z.enum(CATEGORIES),
  urgency: z.enum(URGENCIES),
});
export type Classified = z.output<typeof classifiedSchema>;
