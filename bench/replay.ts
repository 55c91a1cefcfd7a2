/**
 * How long a replay takes and how much memory it needs, without the time of the network: the journal lies in memory as text and is
 * parsed as the DynamoDB adapter does. Each case runs in a process of its own whose heap is that of a worker of 512 MB:
 * `npm run bench:replay`.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { systemClock } from '../src/adapters/system/clock.ts';
import { defineAgent } from '../src/agent/index.ts';
import { MemoryCloud } from '../src/agent/testing/memory-cloud.ts';
import type { JournalEntry, JournalPage } from '../src/core/job/journal.ts';
import type { StoredValue } from '../src/core/job/stored-value.ts';
import { LIMITS } from '../src/core/policy/limits.ts';
import type { JobStore } from '../src/core/ports/job-store.ts';

interface Case {
  readonly name: string;
  readonly steps: number;
  /** Of each outcome, as JSON. */
  readonly outcomeBytes: number;
}

const CASES: readonly Case[] = [
  { name: '1,000 steps of 100 bytes', steps: 1_000, outcomeBytes: 100 },
  { name: '1,000 steps of 50 KB, in S3', steps: 1_000, outcomeBytes: 50_000 },
  { name: '6,400 steps of 8 KB, a journal of 50 MB', steps: 6_400, outcomeBytes: 8_000 },
  { name: '30,000 steps of 100 bytes', steps: 30_000, outcomeBytes: 100 },
];

/** What V8 takes as its limit in a Lambda function of 512 MB, less what the rest of the process needs. */
const HEAP_MB = 400;
const JOB_ID = 'job_replayed';
const EXPIRES_AT_SECONDS = 4_000_000_000;

const [index] = process.argv.slice(2);
if (index === undefined) runAll();
else await replay(CASES[Number(index)] ?? fail(`there is no case ${index}`));

function runAll(): void {
  print('case', 'journal', 'replay', 'peak memory');
  for (const index of CASES.keys()) {
    const child = spawnSync(
      process.execPath,
      [`--max-old-space-size=${HEAP_MB}`, fileURLToPath(import.meta.url), String(index)],
      { stdio: 'inherit' },
    );
    if (child.status !== 0) process.exitCode = 1;
  }
}

async function replay({ name, steps, outcomeBytes }: Case): Promise<void> {
  const agent = defineAgent({
    name: 'replayed',
    input: z.unknown(),
    output: z.number(),
    limits: { maxSteps: 100_000 },
    run: async (ctx) => {
      const sizes = await ctx.map('n', [...Array(steps).keys()], { concurrency: 100 }, (_n, item) =>
        item.step('fill', () => fail('a recorded step ran again')),
      );
      return sizes.length;
    },
  });
  const cloud = new MemoryCloud([agent]);
  const texts = await journalTexts(cloud, { steps, outcomeBytes });
  const { jobs } = cloud.deps;
  await putWaitingJob(jobs);
  const deps = {
    ...cloud.deps,
    clock: systemClock,
    jobs: {
      ...jobs,
      loadHistory: async (jobId: string) => ({
        ...(await jobs.loadHistory(jobId)),
        pages: texts.map((text) => JSON.parse(text.toString()) as JournalPage),
      }),
    },
  };
  const startedAt = performance.now();
  await cloud.start(deps, JOB_ID);
  const tookMs = performance.now() - startedAt;

  const { status, error } = await cloud.job(JOB_ID);
  if (status !== 'succeeded') fail(`${name}: the job is ${status}, ${JSON.stringify(error)}`);
  const journalMb = texts.reduce((sum, { length }) => sum + length, 0) / 1e6;
  const peakMb = process.resourceUsage().maxRSS / 1_024;
  print(name, `${journalMb.toFixed(1)} MB`, `${tookMs.toFixed(0)} ms`, `${peakMb.toFixed(0)} MB`);
}

/** Pages as buffers: outside of the heap, as if they came from the network. */
async function journalTexts(
  cloud: MemoryCloud,
  { steps, outcomeBytes }: Pick<Case, 'steps' | 'outcomeBytes'>,
): Promise<Buffer[]> {
  const texts: Buffer[] = [];
  let entries: JournalEntry[] = [];
  let bytes = 0;
  const close = (): void => {
    const totals = { progressReports: 0, stepsSucceeded: 0, stepsFailed: 0 };
    const page = { jobId: JOB_ID, generation: 1, seq: texts.length + 1, entries, totals };
    texts.push(Buffer.from(JSON.stringify({ ...page, expiresAtSeconds: EXPIRES_AT_SECONDS })));
    entries = [];
    bytes = 0;
  };
  for (let n = 0; n < steps; n++) {
    const outcome = await outcomeOf(cloud, { n, outcomeBytes });
    const base = { at: 1, attempt: 1, stepId: `n[${n}]/fill`, try: 1, durationMs: 1 };
    const entry: JournalEntry = { type: 'step.succeeded', ...base, outcome };
    const size = JSON.stringify(entry).length;
    if (bytes + size > LIMITS.pageBytes) close();
    entries.push(entry);
    bytes += size;
  }
  close();
  return texts;
}

async function outcomeOf(
  cloud: MemoryCloud,
  { n, outcomeBytes }: { n: number; outcomeBytes: number },
): Promise<StoredValue> {
  const json = JSON.stringify(String(n).padEnd(outcomeBytes - 2, '.'));
  if (json.length <= LIMITS.inlineBytes) return { kind: 'inline', json };
  return { kind: 's3', ...(await cloud.deps.payloads.put(`outcome-${n}`, json)) };
}

/** As if an attempt had recorded all of it and then been killed long ago. */
async function putWaitingJob(jobs: JobStore): Promise<void> {
  const now = Date.now();
  await jobs.createJob({
    jobId: JOB_ID,
    tenantId: 'bench',
    agent: 'replayed',
    status: 'queued',
    generation: 1,
    epoch: 1,
    wakeups: 1,
    crashes: 0,
    createdAt: now,
    updatedAt: now,
    deadlineAt: now + 3_600_000,
    dueAt: now,
    fingerprint: 'f'.repeat(64),
    input: { kind: 'inline', json: '{}' },
    expiresAtSeconds: EXPIRES_AT_SECONDS,
  });
}

function print(...cells: readonly string[]): void {
  const [name = '', ...figures] = cells;
  console.log([name.padEnd(42), ...figures.map((cell) => cell.padStart(12))].join(''));
}

function fail(message: string): never {
  throw new Error(message);
}
