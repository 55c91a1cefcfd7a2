import type { Demand } from './demand.ts';
import type { Load, Settings } from './load.ts';

/** What one job asks of AWS on average. The figures for a five-step job are those of `test/integration/request-budget.test.ts`. */
export interface Requests {
  readonly apiRequests: number;
  readonly invocations: number;
  readonly queueRequests: number;
  readonly writeUnits: number;
  readonly readUnits: number;
  readonly objectPuts: number;
  readonly objectGets: number;
  /** Worker time at its memory. */
  readonly gbSeconds: number;
  /** Kept until retention ends. */
  readonly tableBytes: number;
  readonly objectBytes: number;
  readonly logBytes: number;
}

/** Up to here a payload rides in the job item, up to the second it has an item of its own, above it is an object. */
const INLINE_BYTES = 512;
const ITEM_BYTES = 8 * 1024;
const UNIT_BYTES = 1024;
/** Keys, times and totals around the outcome of a step. */
const PAGE_OVERHEAD_BYTES = 350;
const JOB_ITEM_BYTES = 900;
/** Two log lines of the handlers and one of the worker. */
const LOG_BYTES = 1_500;
/** Submit and reads: 50 ms at 512 MB each. */
const API_GB_SECONDS = 0.025;
/** Queue and index writes of the manifest: put and delete, each with its entry in the index `due`. */
const MANIFEST_UNITS = 4;
/** What the jobs of a tenant came to, added up once for each invocation. */
const USAGE_UNITS = 1;
/** A renewal moves its key in the index: two units there, one in the table. */
const HEARTBEAT_UNITS = 3;

/** Submit: idempotency record twice, job with its two index entries. End: job, and its entry in `due` goes. */
const SUBMIT_UNITS = 2 + 3;
const FINISH_UNITS = 2;
const CLAIM_UNITS = 1;
/** The job goes back to the queue: the job, and its key in `due` moves. */
const CONTINUE_UNITS = 3;

export function requestsOf(load: Load, settings: Settings, demand: Demand): Requests {
  const { jobsPerInvocation: k, slicesPerJob: slices } = demand;
  const heartbeats = Math.floor(load.durationSeconds / slices / (settings.leaseSeconds / 3));
  const perInvocation = MANIFEST_UNITS + HEARTBEAT_UNITS * heartbeats;
  const pages = load.steps * pageUnits(load.outcomeBytes);
  return {
    apiRequests: 1 + load.readsPerJob,
    invocations: 1 + load.readsPerJob + slices / k,
    queueRequests: slices * (1 + 2 / k),
    writeUnits:
      SUBMIT_UNITS +
      itemUnits(load.inputBytes) +
      slices * (CLAIM_UNITS + perInvocation / k) +
      (slices - 1) * CONTINUE_UNITS +
      pages +
      FINISH_UNITS +
      USAGE_UNITS / k +
      itemUnits(load.resultBytes),
    readUnits: load.readsPerJob * 2 + (slices - 1) * Math.ceil(historyBytes(load) / 4096 + 1),
    objectPuts: objects(load),
    objectGets: isObject(load.inputBytes) ? slices : 0,
    gbSeconds:
      (load.durationSeconds * (settings.memoryMb / 1024)) / k +
      API_GB_SECONDS * (1 + load.readsPerJob),
    tableBytes: JOB_ITEM_BYTES + tableBytes(load),
    objectBytes: objectBytes(load),
    logBytes: LOG_BYTES,
  };
}

const isObject = (bytes: number): boolean => bytes > ITEM_BYTES;
const units = (bytes: number): number => Math.max(1, Math.ceil(bytes / UNIT_BYTES));

/** An input or result with an item of its own. */
function itemUnits(bytes: number): number {
  return bytes > INLINE_BYTES && !isObject(bytes) ? units(bytes) : 0;
}

function pageUnits(outcomeBytes: number): number {
  return units(PAGE_OVERHEAD_BYTES + (isObject(outcomeBytes) ? 0 : outcomeBytes));
}

function objects({ inputBytes, outcomeBytes, resultBytes, steps }: Load): number {
  const payloads = [inputBytes, resultBytes].filter(isObject).length;
  return payloads + (isObject(outcomeBytes) ? steps : 0);
}

function historyBytes(load: Load): number {
  const inPage = isObject(load.outcomeBytes) ? 0 : load.outcomeBytes;
  return load.steps * (PAGE_OVERHEAD_BYTES + inPage);
}

function tableBytes(load: Load): number {
  const kept = [load.inputBytes, load.resultBytes].filter((bytes) => !isObject(bytes));
  return historyBytes(load) + kept.reduce((sum, bytes) => sum + bytes, 0);
}

function objectBytes({ inputBytes, outcomeBytes, resultBytes, steps }: Load): number {
  const payloads = [inputBytes, resultBytes, ...Array<number>(steps).fill(outcomeBytes)];
  return payloads.filter(isObject).reduce((sum, bytes) => sum + bytes, 0);
}
