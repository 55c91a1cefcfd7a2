import { CATEGORIES, type Category } from './categories.ts';
import type { Classified } from './ticket.ts';

export interface Report {
  readonly tickets: number;
  /** Most frequent first; those without a ticket are left out. */
  readonly categories: {
    readonly category: Category;
    readonly tickets: number;
    readonly urgent: number;
    readonly percent: number;
  }[];
  /** What to look at first: at most ten, outages before the rest. */
  readonly urgent: Classified[];
}

const URGENT_SHOWN = 10;

export function writeReport(classified: readonly Classified[]): Report {
  const rows = CATEGORIES.map((category) => rowOf(category, classified));
  const urgent = classified.filter(({ urgency }) => urgency === 'high');
  return {
    tickets: classified.length,
    categories: rows
      .filter(({ tickets }) => tickets > 0)
      .toSorted((a, b) => b.tickets - a.tickets || a.category.localeCompare(b.category)),
    urgent: urgent.toSorted(byPrecedence).slice(0, URGENT_SHOWN),
  };
}

function rowOf(category: Category, all: readonly Classified[]): Report['categories'][number] {
  const own = all.filter((ticket) => ticket.category === category);
  return {
    category,
    tickets: own.length,
    urgent: own.filter(({ urgency }) => urgency === 'high').length,
    percent: Math.round((1_000 * own.length) / Math.max(1, all.length)) / 10,
  };
}

/** Sorting is stable: tickets of one category keep the order in which they came. */
function byPrecedence(a: Classified, b: Classified): number {
  return CATEGORIES.indexOf(a.category) - CATEGORIES.indexOf(b.category);
}
