import { readFileSync } from 'node:fs';
import { expectThat } from './expect-that.ts';
import { accepted, entriesOf, type JobOf, readJob, readTrace, untilStatus } from './jobs.ts';
import type { LocalCloud } from './local-cloud.ts';
import { print, printTable, seconds } from './print.ts';

interface Ticket {
  readonly id: string;
  readonly subject: string;
  readonly body: string;
}

interface Report {
  readonly tickets: number;
  readonly jobs: number;
  readonly missing: readonly string[];
  readonly categories: readonly {
    readonly category: string;
    readonly tickets: number;
    readonly urgent: number;
    readonly percent: number;
  }[];
  readonly urgent: readonly (Ticket & { readonly category: string })[];
}

const TICKETS = 500;
const TICKETS_PER_JOB = 10;
const LIMIT_MS = 50_000;

/** A supervisor gives five hundred tickets to fifty sub-jobs and joins what they find into one report. */
export async function ticketReportDemo(cloud: LocalCloud): Promise<void> {
  const tickets = fiveHundredTickets();
  print();
  print(`Submit ${tickets.length} support tickets, ${TICKETS_PER_JOB} for each sub-job`);
  const input = { tickets, ticketsPerJob: TICKETS_PER_JOB };
  const { jobId } = await accepted(cloud.client.submit({ agent: 'ticket-report', input }));
  print();
  print('Watch it');
  const job = await watch(cloud, jobId);
  showReport(job);
  await checkTrace(cloud, job);
}

/** The sample, over and over, each ticket from another customer. */
function fiveHundredTickets(): Ticket[] {
  const path = new URL('../events/tickets.json', import.meta.url);
  const sample = JSON.parse(readFileSync(path, 'utf8')) as Ticket[];
  return Array.from({ length: TICKETS }, (_, index) => {
    const { subject, body } = sample[index % sample.length] as Ticket;
    return { id: `T-${1001 + index}`, subject, body: `${body}\n\nCustomer ${4_000 + index * 7}` };
  });
}

async function watch(cloud: LocalCloud, jobId: string): Promise<JobOf<Report>> {
  const startedAt = Date.now();
  let shown = '';
  return untilStatus<Report>(cloud, jobId, {
    status: 'succeeded',
    limitMs: LIMIT_MS,
    onLook: ({ status, waitingFor, attempts }) => {
      const what = waitingFor === undefined ? status : `${status} for ${waitingFor.reason}`;
      if (what !== shown) {
        print(`  ${seconds(Date.now() - startedAt)}  ${what}, attempt ${attempts}`);
      }
      shown = what;
    },
  });
}

function showReport({ result, attempts }: JobOf<Report>): void {
  expectThat(result !== undefined, 'the job succeeded without a result');
  const { tickets, categories, urgent, jobs, missing } = result;
  print();
  print(`The report, joined from ${jobs} sub-jobs in ${attempts} attempts`);
  printTable(
    ['category', 'tickets', 'share', 'urgent'],
    categories.map((row) => [
      row.category,
      String(row.tickets),
      `${row.percent.toFixed(1)} %`,
      String(row.urgent),
    ]),
  );
  print();
  print('To be looked at first');
  printTable(
    ['subject', 'category', 'ticket'],
    urgent.map(({ id, category, subject }) => [subject, category, id]),
  );
  const counted = categories.reduce((sum, row) => sum + row.tickets, 0);
  expectThat(tickets === TICKETS && counted === TICKETS, `${counted} of ${TICKETS} are counted`);
  expectThat(missing.length === 0, `${missing.length} tickets are missing`);
}

/** Each sub-job was made once and told of its end once, and the supervisor slept meanwhile. */
async function checkTrace(cloud: LocalCloud, { jobId, attempts }: JobOf<Report>): Promise<void> {
  const trace = await readTrace(cloud, jobId);
  const spawned = entriesOf(trace, 'child.spawned').map(({ childId }) => childId);
  const finished = entriesOf(trace, 'child.finished').map(({ childId }) => childId);
  const expected = TICKETS / TICKETS_PER_JOB;
  expectThat(new Set(spawned).size === expected, `${new Set(spawned).size} sub-jobs were made`);
  expectThat(spawned.length === expected, 'a sub-job was spawned twice');
  expectThat(finished.toSorted().join() === spawned.toSorted().join(), 'an end is missing');
  expectThat(attempts <= 5, `the supervisor was woken ${attempts} times`);
  const first = await readJob(cloud, spawned[0] ?? '');
  expectThat(first.status === 'succeeded', `a sub-job is ${first.status}`);
  print();
  print(
    `  ${expected} sub-jobs were made, once each; each end was noted once. The supervisor held no`,
  );
  print(
    `  compute while they worked: it was woken ${times(attempts - 1)}, not ${times(expected)}.`,
  );
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}
