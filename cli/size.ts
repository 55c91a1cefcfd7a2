import { parseArgs } from 'node:util';
import { DEFAULTS, QUEUE } from '../src/settings/defaults.ts';
import type { Load, Settings } from '../src/sizing/load.ts';
import { queueRisks } from '../src/sizing/queue-risks.ts';
import { sizeOf } from '../src/sizing/size.ts';
import { rateOf, SECONDS } from './rate-of.ts';
import { sizingReport } from './sizing-report.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const text = { type: 'string' } as const;
const BYTES = { B: 1, KB: 1024, MB: 1024 ** 2 } as const;

/** `size`: what a load needs and costs; it reads nothing and asks nobody. */
export function sizeLoad(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      rate: text,
      duration: text,
      steps: text,
      input: { ...text, default: '2KB' },
      outcome: { ...text, default: '500B' },
      result: { ...text, default: '500B' },
      reads: { ...text, default: '2' },
      timeout: text,
      memory: text,
      batch: text,
      window: text,
      concurrency: text,
      reserved: text,
      lease: text,
      retention: text,
      json: { type: 'boolean', default: false },
    },
  });
  const load: Load = {
    jobsPerSecond: rateOf(required('--rate', values.rate)),
    durationSeconds: measure('--duration', required('--duration', values.duration), SECONDS),
    steps: whole('--steps', required('--steps', values.steps), { from: 1 }),
    inputBytes: measure('--input', values.input, BYTES),
    outcomeBytes: measure('--outcome', values.outcome, BYTES),
    resultBytes: measure('--result', values.result, BYTES),
    readsPerJob: whole('--reads', values.reads, { from: 0 }),
  };
  const settings = settingsOf(values);
  const sizing = sizeOf(load, settings);
  const risks = risksOf(settings, values.reserved);
  if (values.json) terminal.out(JSON.stringify({ ...sizing, risks }));
  else for (const line of sizingReport(sizing, risks)) terminal.out(line);
  return Promise.resolve();
}

function settingsOf(values: Readonly<Record<string, string | boolean | undefined>>): Settings {
  const { worker, leaseSeconds, retentionDays } = DEFAULTS;
  const given = (name: string, normal: number, from = 1): number => {
    const value = values[name];
    return typeof value === 'string' ? whole(`--${name}`, value, { from }) : normal;
  };
  return {
    timeoutSeconds: given('timeout', worker.timeoutSeconds),
    memoryMb: given('memory', worker.memoryMb),
    batchSize: given('batch', worker.batchSize),
    batchingWindowSeconds: given('window', worker.batchingWindowSeconds, 0),
    maxConcurrency: given('concurrency', worker.maxConcurrency),
    leaseSeconds: given('lease', leaseSeconds),
    retentionDays: given('retention', retentionDays),
  };
}

function risksOf(settings: Settings, reserved: string | undefined): string[] {
  const { timeoutSeconds, batchingWindowSeconds, maxConcurrency } = settings;
  const risks = queueRisks({
    functionTimeoutSeconds: timeoutSeconds,
    batchingWindowSeconds,
    visibilityTimeoutSeconds:
      timeoutSeconds + batchingWindowSeconds + QUEUE.visibilityMarginSeconds,
    maxConcurrency,
    mappings: 2,
    ...(reserved !== undefined && {
      reservedConcurrency: whole('--reserved', reserved, { from: 0 }),
    }),
    maxReceiveCount: QUEUE.maxReceiveCount,
    retentionSeconds: QUEUE.retentionDays * SECONDS.d,
    deadLetterRetentionSeconds: QUEUE.deadLetterRetentionDays * SECONDS.d,
  });
  if (settings.batchSize > 10 && batchingWindowSeconds === 0) {
    risks.push(
      `worker.batchSize ${settings.batchSize} is above 10, which SQS takes only with a batching window of 1 s or more`,
    );
  }
  return risks;
}

function required(name: string, value: string | undefined): string {
  if (value !== undefined) return value;
  throw new UsageError(`${name} is missing`);
}

function whole(name: string, value: string, { from }: { from: number }): number {
  if (/^\d{1,9}$/.test(value) && Number(value) >= from) return Number(value);
  throw new UsageError(`${name} must be a whole number from ${from}: got ${value}`);
}

/** `90s`, `1.5KB`: a number above 0 with one of the units. */
function measure(name: string, value: string, units: Readonly<Record<string, number>>): number {
  const [, amount, unit = ''] = /^(\d+(?:\.\d+)?)([A-Za-z]+)$/.exec(value) ?? [];
  const size = Number(amount) * (units[unit] ?? NaN);
  if (size > 0) return size;
  throw new UsageError(
    `${name} must be a number above 0 with one of the units ${Object.keys(units).join(', ')}: got ${value}`,
  );
}
