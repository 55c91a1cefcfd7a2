import type { SQSRecord } from 'aws-lambda';
import { workerHandler } from '../../../lambdas/events/worker-handler.ts';
import type { EngineDeps } from '../../../src/core/engine/engine-deps.ts';
import { DEFAULT_LANE } from '../../../src/core/ports/job-queue.ts';
import type { Weather } from './faults.ts';
import type { Random } from './random.ts';
import type { Scheduler } from './scheduler.ts';
import { SimProcess } from './sim-process.ts';
import type { Message, SimQueue } from './sim-queue.ts';

export interface Fleet {
  readonly batchSize: number;
  readonly concurrency: number;
  readonly invocationMs: number;
  readonly leaseMs: number;
  readonly hideMs: number;
  /** How long messages are gathered for a batch. */
  readonly windowMs: number;
}

export interface WorkersOptions {
  readonly scheduler: Scheduler;
  readonly queue: SimQueue;
  readonly random: Random;
  readonly weather: Weather;
  readonly fleet: Fleet;
  readonly isFair: () => boolean;
  readonly depsOf: (process: SimProcess) => EngineDeps;
  readonly trace?: ((line: string) => void) | undefined;
}

/** The event source mappings and the environments of the worker. */
export class Workers {
  readonly processes: SimProcess[] = [];
  #busy = 0;
  #count = 0;
  readonly #options: WorkersOptions;

  constructor(options: WorkersOptions) {
    this.#options = options;
    const { scheduler, fleet, queue } = options;
    queue.onReady = (isolated) => {
      if (isolated || fleet.windowMs === 0) this.#poll(isolated);
      else
        scheduler.in(fleet.windowMs, () => {
          this.#poll(false);
        });
    };
  }

  get isIdle(): boolean {
    return this.#busy === 0;
  }

  #poll(isolated: boolean): void {
    const { queue, fleet } = this.#options;
    while (this.#busy < fleet.concurrency && queue.ready(isolated).length > 0) {
      const batch = queue.receive(isolated, isolated ? 1 : fleet.batchSize, fleet.hideMs);
      if (batch.length > 0) this.#invoke(batch);
    }
  }

  #invoke(batch: readonly Message[]): void {
    const { scheduler, random, weather, fleet, queue, depsOf, trace } = this.#options;
    const number = ++this.#count;
    const process = new SimProcess(scheduler, {
      role: 'worker',
      name: `W${number}`,
      skewMs: random.between(-weather.skewMs, weather.skewMs),
    });
    this.processes.push(process);
    this.#busy++;
    const endsAt = scheduler.now + fleet.invocationMs;
    trace?.(`${process.name} begins with ${batch.map(({ body }) => body).join(' ')}`);
    let isOver = false;
    const end = (): void => {
      if (isOver) return;
      isOver = true;
      this.#busy--;
      scheduler.in(1, () => {
        this.#poll(false);
        this.#poll(true);
      });
    };
    process.onDeath = () => {
      trace?.(`${process.name} dies`);
      end();
    };
    const receipts = batch.map((message) => ({ message, receipt: message.receipt }));
    const handle = workerHandler({
      engine: depsOf(process),
      leaseMs: fleet.leaseMs,
      lane: { name: DEFAULT_LANE, agents: [] },
      isIsolated: () => batch.every(({ isolated }) => isolated),
      returnMessage: ({ receiptHandle }) => {
        const message = batch.find(({ id }) => id === receiptHandle);
        if (message !== undefined) queue.show(message, 10);
        return Promise.resolve();
      },
      flush: () => undefined,
    });
    const context = {
      awsRequestId: process.name,
      getRemainingTimeInMillis: () => endsAt - scheduler.now,
    };
    handle({ Records: batch.map(recordOf) }, context).then(
      ({ batchItemFailures }) => {
        trace?.(`${process.name} ends`);
        const failed = new Set(batchItemFailures.map(({ itemIdentifier }) => itemIdentifier));
        for (const { message, receipt } of receipts) {
          if (!failed.has(message.id)) queue.delete(message, receipt);
        }
        end();
        this.#retire(process);
      },
      (error: unknown) => {
        trace?.(`${process.name} fails: ${String(error)}`);
        end();
        this.#retire(process);
      },
    );
    this.#limit(process, endsAt);
  }

  /** What an invocation leaves running goes on when its environment is used again. */
  #retire(process: SimProcess): void {
    const { random, weather, isFair } = this.#options;
    process.isOver = true;
    if (isFair() || weather.overrunMs === 0 || random.chance(0.5)) process.die();
  }

  /** The platform ends an invocation at its timeout. Safety must not depend on its punctuality. */
  #limit(process: SimProcess, endsAt: number): void {
    const { scheduler, random, weather } = this.#options;
    const overrunMs = random.between(0, weather.overrunMs);
    scheduler.at(endsAt + overrunMs, () => {
      process.die();
    });
  }
}

function recordOf(message: Message): SQSRecord {
  return {
    messageId: message.id,
    receiptHandle: message.id,
    body: message.body,
    attributes: { ApproximateReceiveCount: String(message.receives) },
  } as SQSRecord;
}
