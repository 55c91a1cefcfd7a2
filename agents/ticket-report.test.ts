import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { testAgent } from '../src/agent/testing/index.ts';
import { describeHistory } from '../test/support/golden-history.ts';
import { classifyTickets } from './classify-tickets.ts';
import { ticketReport } from './ticket-report.ts';
import { categoryOf } from './ticket-report/categories.ts';
import { urgencyOf } from './ticket-report/urgency.ts';
import type { Ticket } from './ticket-report/ticket.ts';
import type { Report } from './ticket-report/write-report.ts';

/** Sixty tickets, each with the category that a person would choose. */
const SAMPLE = JSON.parse(
  readFileSync(new URL('../events/tickets.json', import.meta.url), 'utf8'),
) as (Ticket & { readonly label: string })[];

const many = (count: number): Ticket[] =>
  Array.from({ length: count }, (_, index) => {
    const { subject, body } = SAMPLE[index % SAMPLE.length] ?? { subject: '', body: '' };
    return { id: `N-${index}`, subject, body };
  });

describe('classify-tickets', () => {
  describeHistory(
    classifyTickets,
    { tickets: SAMPLE.slice(0, 12) },
    new URL('classify-tickets.history.json', import.meta.url),
  );

  it.each(SAMPLE)('takes "$subject" for $label', (ticket) => {
    expect(categoryOf(ticket)).toBe(ticket.label);
  });

  it.each([
    { subject: 'Payment failed', body: 'You tried to charge my card three times.', is: 'billing' },
    { subject: "Can't sign in", body: 'I forgot my password.', is: 'access' },
    { subject: 'The app freezes', body: 'It hangs when I open the settings.', is: 'bug' },
    { subject: 'Stop my plan', body: 'Please end my plan, it is too expensive.', is: 'cancel' },
    { subject: 'Excel', body: 'It would be helpful to export to Excel.', is: 'feature' },
    { subject: 'Hello', body: 'Is anybody there?', is: 'other' },
    { subject: '', body: '', is: 'other' },
  ])('takes "$subject", which is no sample, for $is', ({ is, ...ticket }) => {
    expect(categoryOf(ticket)).toBe(is);
  });

  it.each([
    { subject: 'Down', body: 'All is down', category: 'outage', is: 'high' },
    { subject: 'Invoice', body: 'We need it by Friday', category: 'billing', is: 'high' },
    { subject: 'Invoice', body: 'We need it', category: 'billing', is: 'normal' },
    { subject: 'Wish', body: 'Dark mode', category: 'feature', is: 'low' },
  ] as const)('finds $category "$body" of $is urgency', ({ category, is, ...ticket }) => {
    expect(urgencyOf(category, ticket)).toBe(is);
  });
});

describe('ticket-report', () => {
  const agents = [classifyTickets];

  describeHistory(
    ticketReport,
    { tickets: SAMPLE.slice(0, 20), ticketsPerJob: 5 },
    new URL('ticket-report.history.json', import.meta.url),
    agents,
  );

  it('joins 500 tickets from 50 sub-jobs into one report, none lost and none twice', async () => {
    const job = await testAgent(ticketReport, { agents }).submit({ tickets: many(500) });

    const { status, result, attempts } = await job.end();

    const report = result as Report & { jobs: number; missing: string[] };
    expect({ status, jobs: report.jobs, tickets: report.tickets }).toEqual({
      status: 'succeeded',
      jobs: 50,
      tickets: 500,
    });
    expect(report.categories.reduce((sum, { tickets }) => sum + tickets, 0)).toBe(500);
    expect(report.missing).toEqual([]);
    expect(report.urgent).toHaveLength(10);
    expect(report.urgent.every(({ category }) => category === 'outage')).toBe(true);
    expect(new Set(report.urgent.map(({ id }) => id)).size).toBe(10);
    expect((await job.children()).length).toBe(50);
    // Woken once by all of them together, not once by each.
    expect(attempts).toBeLessThanOrEqual(3);
  });

  it('takes a sub-job for each ticket, if told to', async () => {
    const input = { tickets: many(120), ticketsPerJob: 1 };
    const job = await testAgent(ticketReport, { agents }).submit(input);

    expect(await job.end()).toMatchObject({ result: { jobs: 120, tickets: 120 } });
  });

  it('reports without the tickets of a sub-job that failed, and names them', async () => {
    const test = testAgent(ticketReport, { agents });
    test.failStep('ticket[4]/classify', { tries: 'all' });
    const job = await test.submit({ tickets: many(14), ticketsPerJob: 5 });

    const { status, result } = await job.end();

    // Two of three sub-jobs have a fifth ticket.
    expect(status).toBe('succeeded');
    expect(result).toMatchObject({ tickets: 4, jobs: 3 });
    expect((result as { missing: string[] }).missing).toEqual(many(10).map(({ id }) => id));
  });

  it('cancels its sub-jobs with itself', async () => {
    const test = testAgent(ticketReport, { agents });
    test.failStep('ticket[0]/classify', { tries: 'all', error: slowDown() });
    const job = await test.submit({ tickets: many(10), ticketsPerJob: 5 });
    await job.run();
    await job.cancel();
    expect(await job.end()).toMatchObject({ status: 'cancelled' });

    await test.advance('1h');
    for (const child of await job.children()) {
      expect(await child.state()).toMatchObject({ status: 'cancelled' });
    }
  });
});

function slowDown(): Error {
  return Object.assign(new Error('slow down'), { retryAfterMs: 3_600_000 });
}
