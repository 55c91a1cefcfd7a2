import { systemIdSource } from '../../../src/adapters/system/id-source.ts';
import type { EngineDeps } from '../../../src/core/engine/engine-deps.ts';
import { isFinal, type Job } from '../../../src/core/job/job.ts';
import type { JobUpdate } from '../../../src/core/job/item-update.ts';
import type { JournalPage } from '../../../src/core/job/journal.ts';
import type { IdSource } from '../../../src/core/ports/id-source.ts';
import { DEFAULT_LANE } from '../../../src/core/ports/job-queue.ts';
import type { Telemetry } from '../../../src/core/ports/telemetry.ts';
import { drawReleases, type Release } from '../agents/releases.ts';
import { bindAgents, CLEAN_UP } from '../agents/bind.ts';
import { type AgentSpec, drawAgents } from '../agents/spec.ts';
import { checkKill, checkStep, WriteRules } from '../invariants/write-rules.ts';
import { drawWeather, type Weather } from './faults.ts';
import { Ledger } from './ledger.ts';
import { Network } from './network.ts';
import { Notifiers } from './notifiers.ts';
import { Random } from './random.ts';
import { Scheduler } from './scheduler.ts';
import type { SimProcess } from './sim-process.ts';
import { SimQueue } from './sim-queue.ts';
import { Storage, storeOf } from './storage.ts';
import { Sweepers } from './sweepers.ts';
import { Users } from './users.ts';
import { type Fleet, Workers } from './workers.ts';

export interface Violation {
  readonly invariant: string;
  readonly message: string;
}

export type Trace = (line: string) => void;

const START = Date.UTC(2030, 0, 1);
const CHAOS_MS = 900_000;
const ROLLOUT_MS = 60_000;

/** One simulated deployment, wholly determined by its seed. */
export class World {
  readonly random: Random;
  readonly scheduler = new Scheduler(START);
  readonly ledger = new Ledger();
  readonly weather: Weather;
  readonly agents: readonly AgentSpec[];
  readonly releases: readonly Release[];
  /** An agent that no worker has for a while. */
  readonly absence: Absence | undefined;
  /** Jobs that are submitted at one moment, so that one invocation has them, and yields when most are done. */
  readonly burst: number;
  readonly fleet: Fleet;
  readonly horizon: number;
  readonly network: Network;
  readonly storage: Storage;
  readonly queue: SimQueue;
  readonly workers: Workers;
  readonly users: Users;
  readonly notifiers: Notifiers;
  violation: Violation | undefined;
  readonly trace: Trace | undefined;
  /** Metrics that were moved, and how often. */
  readonly counts = new Map<string, number>();
  readonly #telemetry: Telemetry = {
    log: () => undefined,
    count: (metric) => this.counts.set(metric, (this.counts.get(metric) ?? 0) + 1),
    measure: () => undefined,
  };
  readonly #rules: WriteRules;
  readonly #ids: IdSource;

  constructor(seed: number, trace?: Trace) {
    this.random = new Random(seed);
    const { random, scheduler } = this;
    this.trace =
      trace &&
      ((line) => {
        trace(`${((scheduler.now - START) / 1_000).toFixed(3).padStart(10)}  ${line}`);
      });
    this.weather = drawWeather(random);
    this.burst = random.chance(0.06) ? random.between(5, 8) : 0;
    this.agents = drawAgents(random, this.burst > 0);
    this.fleet = drawFleet(random, this.burst > 0);
    this.horizon = START + random.magnitude(60_000, CHAOS_MS);
    const time = { start: START, horizon: this.horizon };
    this.releases = drawReleases(random, this.agents, time);
    this.absence = drawAbsence(random, this.agents, time);
    this.#rules = new WriteRules(this.ledger, this.violate);
    this.storage = new Storage({ now: () => scheduler.now }, this.#rules);
    const shared = { scheduler, weather: this.weather, horizon: this.horizon, trace: this.trace };
    this.network = new Network({
      ...shared,
      random: random.fork(),
      onFault: (name, [first, second]) => {
        if (name === 'appendPage') this.ledger.unsure.add(first as JournalPage);
        const update = name === 'updateJob' ? (second as JobUpdate) : undefined;
        if (update?.add?.epoch !== undefined) this.ledger.unsureClaims.add(update.set?.owner ?? '');
        const isReset = update?.set?.crashes !== undefined;
        if (isReset) this.ledger.uncounted.add(first as string);
      },
    });
    this.queue = new SimQueue({ ...shared, random: random.fork(), isFair: this.isFair });
    const ids = random.fork();
    this.#ids = {
      ...systemIdSource,
      random: () => ids.next(),
      newId: () => systemIdSource.deriveId(String(ids.next())),
    };
    const common = {
      ...shared,
      storage: this.storage,
      queue: this.queue,
      isFair: this.isFair,
      depsOf: this.#depsOf,
    };
    this.workers = new Workers({ ...common, random: random.fork(), fleet: this.fleet });
    const sweepers = new Sweepers({ ...common, random: random.fork() });
    this.#rules.onDue = (at) => {
      sweepers.due(at);
    };
    this.#rules.situation = () => ({
      now: scheduler.now,
      leaseMs: this.fleet.leaseMs,
      skewMs: this.weather.skewMs,
    });
    this.#rules.isCleaningUp = ({ jobId, generation }) => {
      const pages = this.storage.pages.get(jobId) ?? [];
      return pages.some((page) => page.generation === generation && isCleanUp(page));
    };
    this.#rules.deliveriesOf = (jobId) =>
      [...this.storage.deliveries.values()].filter((each) => each.jobId === jobId);
    this.#rules.allJobs = () => this.storage.jobs.values();
    this.#rules.openChildren = (job) => openChildren(this.storage, job);
    // A source of its own: what a seed draws besides is what it drew before there were notifications.
    const aside = new Random(seed ^ 0x5bd1e995);
    this.notifiers = new Notifiers({
      ...common,
      network: this.network,
      ledger: this.ledger,
      random: aside.fork(),
    });
    this.users = new Users({
      ...common,
      random: random.fork(),
      notifyRandom: aside.fork(),
      ledger: this.ledger,
      agents: this.agents,
      skewMs: this.weather.skewMs,
      violate: this.violate,
    });
  }

  /** Past the horizon nothing goes wrong any more. */
  readonly isFair = (): boolean => this.scheduler.now >= this.horizon;

  readonly violate = (invariant: string, message: string): void => {
    this.trace?.(`## ${invariant}: ${message}`);
    this.violation ??= { invariant, message };
  };

  /** All versions of an agent that are ever deployed. */
  versionsOf(agent: string): AgentSpec[] {
    const all = this.releases.flatMap(({ specs }) => specs.filter(({ name }) => name === agent));
    return [...new Set(all)];
  }

  get jobs(): Job[] {
    return [...this.storage.jobs.values()];
  }

  /** Whether all is done: no job unfinished or owing, no message and no command left. */
  isQuiet(): boolean {
    if (!this.isFair() || this.users.pending > 0 || !this.workers.isIdle || !this.queue.isEmpty)
      return false;
    for (const job of this.storage.jobs.values()) {
      if (!isFinal(job.status) || job.duties !== undefined) return false;
    }
    for (const { status } of this.storage.deliveries.values()) {
      if (status === 'pending') return false;
    }
    return true;
  }

  /** What a process has deployed. A deploy takes a while to reach all of them. */
  #deployedTo(process: SimProcess): readonly AgentSpec[] {
    const { now } = this.scheduler;
    const lateMs = this.releases.length > 1 ? this.random.between(0, ROLLOUT_MS) : 0;
    const specs = this.releases.findLast(({ at }) => at <= now - lateMs)?.specs ?? this.agents;
    const { absence } = this;
    const isAbsent = absence !== undefined && now >= absence.from && now < absence.to;
    if (!isAbsent || process.role !== 'worker') return specs;
    return specs.filter(({ name }) => name !== absence.agent);
  }

  readonly #depsOf = (process: SimProcess): EngineDeps => {
    const { network, storage, queue, weather, ledger, scheduler, isFair } = this;
    const link = { network, storage, weather, isFair, random: this.random };
    const { payloads } = storage;
    return {
      jobs: storeOf(process, link),
      payloads: {
        put: (key, json) =>
          network.call(process, 'putPayload', [key], () => payloads.put(key, json)),
        get: (ref) => network.call(process, 'getPayload', [ref.key], () => payloads.get(ref)),
        presignGet: (ref, seconds) => payloads.presignGet(ref, seconds),
        presignPut: (ref, seconds) => payloads.presignPut(ref, seconds),
        readUpload: (ref) =>
          network.call(process, 'readUpload', [ref.key], () => payloads.readUpload(ref)),
        copy: (ref, key) =>
          network.call(process, 'copyPayload', [key], () => payloads.copy(ref, key)),
      },
      queue: {
        send: (hint, options) =>
          network.call(process, 'sendHint', [hint, options], () => {
            queue.send(hint, options);
            return Promise.resolve();
          }),
        backlog: () =>
          network.call(process, 'backlog', [], () => Promise.resolve(queue.ready(false).length)),
        laneOf: () => DEFAULT_LANE,
      },
      deadLetters: {
        send: (letter) =>
          network.call(process, 'sendDeadLetter', [letter], () => {
            this.#rules.letterSent(letter, storage.jobs.get(letter.jobId));
            return Promise.resolve();
          }),
      },
      notifications: {
        send: (hint, options) =>
          network.call(process, 'sendDeliveryHint', [hint, options], () => {
            this.notifiers.send(hint, options);
            return Promise.resolve();
          }),
      },
      tenantEndpoints: () => Promise.resolve([]),
      clock: process.clock,
      ids: this.#ids,
      telemetry: this.#telemetry,
      agents: bindAgents(this.#deployedTo(process), {
        process,
        scheduler,
        ledger,
        violate: this.violate,
        onRunning: (owner, step) => {
          const { leaseMs } = this.fleet;
          const at = { now: scheduler.now, leaseMs, violate: this.violate };
          checkStep({ process: owner, ...step }, at);
        },
        onKill: (killed, jobId) => {
          checkKill(this.storage.jobs.values(), { killed, jobId, violate: this.violate });
        },
        trace: this.trace,
      }),
      subJobs: { maxDepth: 5, maxPerJob: 1_000 },
    };
  };
}

interface Absence {
  readonly agent: string;
  readonly from: number;
  readonly to: number;
}

/** The last agent: nobody spawns it, so no other one fails for want of it. */
function drawAbsence(
  random: Random,
  agents: readonly AgentSpec[],
  { start, horizon }: { readonly start: number; readonly horizon: number },
): Absence | undefined {
  if (!random.chance(0.12)) return undefined;
  const from = start + random.next() * (horizon - start);
  const { name = '', maxDurationMs = 0 } = agents.at(-1) ?? {};
  // It may stay away for good where its jobs do not take days to reach their deadline.
  const isForGood = maxDurationMs <= 3_600_000 && random.chance(0.5);
  return { agent: name, from, to: isForGood ? Infinity : from + random.next() * (horizon - from) };
}

function drawFleet(random: Random, isBusy: boolean): Fleet {
  const invocationMs = random.pick([30_000, 60_000, 300_000]);
  return {
    batchSize: isBusy ? 10 : random.pick([1, 3, 10]),
    concurrency: random.between(2, 4),
    invocationMs,
    leaseMs: random.pick([20_000, 60_000]),
    // Shorter than an invocation: the same message is received while its worker still has it.
    windowMs: isBusy ? 1_000 : 0,
    hideMs: random.chance(0.3) ? invocationMs / 3 : invocationMs + 30_000,
  };
}

function isCleanUp({ entries }: JournalPage): boolean {
  return entries.some((entry) => 'stepId' in entry && entry.stepId.startsWith(CLEAN_UP));
}

function openChildren({ jobs, pages }: Storage, { jobId, finishedAt = 0 }: Job): Job[] {
  const entries = (pages.get(jobId) ?? []).flatMap((page) => page.entries);
  const noted = new Set(
    entries.flatMap((entry) => (entry.type === 'child.finished' ? [entry.childId] : [])),
  );
  return entries.flatMap((entry) => {
    if (entry.type === 'child.spawned' && noted.has(entry.childId)) return [];
    const child =
      entry.type === 'child.spawned' && entry.cancelWithParent
        ? jobs.get(entry.childId)
        : undefined;
    // One that had ended and was restarted since then is somebody's own wish.
    const isRestarted = (child?.restartedAt ?? 0) > finishedAt;
    return child === undefined || isFinal(child.status) || isRestarted ? [] : [child];
  });
}
