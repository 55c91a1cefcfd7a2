import { TARGET_UTILISATION } from '../src/sizing/demand.ts';
import { total } from '../src/sizing/cost.ts';
import type { Sizing } from '../src/sizing/size.ts';

/** A sizing for people, line by line. */
export function sizingReport(sizing: Sizing, risks: readonly string[]): string[] {
  return [
    ...demandLines(sizing),
    '',
    'Quotas',
    ...sizing.quotas.map(
      ({ quota, needed, default: normal, raiseTo }) =>
        `  ${quota}: ${figure(needed)} of ${figure(normal)}${raiseTo === undefined ? '' : `, raise to ${figure(raiseTo)}`}`,
    ),
    '',
    'Cost a month',
    ...sizing.cost.map(({ line, dollarsPerMonth }) => costLine(line, dollarsPerMonth)),
    costLine('in all', total(sizing.cost)),
    ...sizing.alternatives.map(({ line, dollarsPerMonth }) =>
      costLine(`the same load on ${line}`, dollarsPerMonth),
    ),
    ...section(
      'Better settings',
      sizing.suggestions.map(({ key, from, to, why }) => `${key} ${from} → ${to}: ${why}`),
    ),
    ...section('Warnings', risks),
  ];
}

function demandLines({ load, settings, demand }: Sizing): string[] {
  const share = demand.concurrency / settings.maxConcurrency;
  return [
    `Jobs in flight: ${rate(load.jobsPerSecond)} × ${figure(load.durationSeconds)} s = ${figure(demand.jobsInFlight)} (Little's law)`,
    `Invocations at once: ${figure(demand.concurrency)} of ${settings.maxConcurrency}, ${jobs(demand.jobsPerInvocation)} in each${roomFor(share)}`,
    `Most it can carry: ${figure(demand.capacityPerSecond)} jobs a second`,
    `Slices of one job: ${demand.slicesPerJob}`,
  ];
}

function jobs(count: number): string {
  return `${figure(count)} ${figure(count) === '1' ? 'job' : 'jobs'}`;
}

/** By the hour where a figure by the second would be 0. */
function rate(jobsPerSecond: number): string {
  return jobsPerSecond < 0.1 ? `${figure(jobsPerSecond * 3_600)}/h` : `${figure(jobsPerSecond)}/s`;
}

function roomFor(share: number): string {
  if (share > 1) return ': more comes in than they can do, and the queue grows';
  return share > TARGET_UTILISATION ? ': little room for peaks' : '';
}

function section(title: string, lines: readonly string[]): string[] {
  return lines.length === 0 ? [] : ['', title, ...lines.map((line) => `  ${line}`)];
}

function costLine(line: string, dollars: number): string {
  return `  ${line.padEnd(44)} $${dollars.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: 2 })}`;
}

function figure(value: number): string {
  return value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 2 : 0 });
}
