import type { Category } from './categories.ts';

export const URGENCIES = ['high', 'normal', 'low'] as const;
export type Urgency = (typeof URGENCIES)[number];

const PRESSING =
  /\b(?:urgent(?:ly)?|immediately|asap|at noon|(?:access|account|login) today|locked out|production|data breach|nobody|by (?:monday|tuesday|wednesday|thursday|friday))\b/i;

/** Outages, and whatever says that it presses, first; wishes and the rest last. */
export function urgencyOf(
  category: Category,
  { subject, body }: { readonly subject: string; readonly body: string },
): Urgency {
  if (category === 'outage' || PRESSING.test(`${subject}\n${body}`)) return 'high';
  return category === 'feature' || category === 'other' ? 'low' : 'normal';
}
