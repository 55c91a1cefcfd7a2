import type { Message } from '@aws-sdk/client-sqs';
import { setTimeout as delay } from 'node:timers/promises';
import type { InvocationOutcome } from '../lambda/execution-environment.ts';
import { finishedRecords } from './batch-outcome.ts';
import type { EventSourceMapping } from './mapping.ts';
import type { QueueClient } from './queue-client.ts';
import { sqsRecord } from './sqs-record.ts';

interface Connections {
  readonly queue: QueueClient;
  readonly invoke: (payload: string) => Promise<InvocationOutcome>;
  /** Whether invocations already wait for an environment; taking more messages would only hide them from the queue. */
  readonly isBacklogged: () => boolean;
  /** Lets the long polls of the queue return at once. */
  readonly endPolls: () => void;
  readonly onFault: (error: unknown) => void;
}

const LONG_POLL_SECONDS = 20;
/** Between two looks for more messages while a batch is being filled. */
const FILL_PAUSE_MS = 50;
const PAYLOAD_LIMIT_BYTES = 6 * 1024 * 1024;

// Lambda starts with five concurrent batches of a standard queue and adds 300 a minute while there is more to do.
const FIRST_CONCURRENCY = 5;
const CONCURRENCY_STEP_MS = 200;
const FAULT_PAUSE_MS = 250;
const END_POLLS_AGAIN_MS = 50;

/** Polls one queue and invokes its function with batches, as the pollers of Lambda do. */
export class QueueEventSource {
  readonly mapping: EventSourceMapping;
  readonly #connections: Connections;
  readonly #running = new Set<Promise<void>>();
  #state: 'polling' | 'paused' | 'stopped';
  #loop: Promise<void> = Promise.resolve();
  #concurrency = FIRST_CONCURRENCY;
  #grownAt = Date.now();
  #wake = Promise.withResolvers<undefined>();

  constructor(mapping: EventSourceMapping, connections: Connections) {
    this.mapping = mapping;
    this.#connections = connections;
    this.#state = mapping.enabled ? 'polling' : 'paused';
  }

  start(): void {
    this.#loop = this.#poll();
  }

  /** Stops taking messages; when this resolves, what was taken is with the function and nothing else is. */
  async pause(): Promise<void> {
    if (this.#state === 'polling') this.#state = 'paused';
    await this.#endLoop();
  }

  resume(): void {
    if (this.#state !== 'paused') return;
    this.#state = 'polling';
    this.#loop = this.#loop.then(() => this.#poll());
  }

  async stop(): Promise<void> {
    this.#state = 'stopped';
    await this.#endLoop();
  }

  report() {
    return {
      logicalId: this.mapping.logicalId,
      queue: this.mapping.queueName,
      function: this.mapping.functionName,
      state: this.#state,
      batchSize: this.mapping.batchSize,
      maximumConcurrency: this.mapping.maximumConcurrency,
      invocationsInFlight: this.#running.size,
      ...this.#connections.queue.counts,
    };
  }

  async #endLoop(): Promise<void> {
    this.#wake.resolve(undefined);
    // A poll that is still on its way to the queue is not there to be ended yet, hence more than once.
    this.#connections.endPolls();
    const again = setInterval(this.#connections.endPolls, END_POLLS_AGAIN_MS);
    await this.#loop;
    clearInterval(again);
  }

  async #poll(): Promise<void> {
    this.#wake = Promise.withResolvers();
    while (this.#state === 'polling') {
      const { isBacklogged } = this.#connections;
      if (isBacklogged() || this.#running.size >= this.#allowedConcurrency()) {
        await Promise.race([this.#wake.promise, delay(CONCURRENCY_STEP_MS), ...this.#running]);
        continue;
      }
      try {
        const batch = await this.#collect();
        if (batch.length > 0) this.#dispatch(batch);
      } catch (error) {
        if (this.#isStopped()) return;
        this.#connections.onFault(error);
        await delay(FAULT_PAUSE_MS);
      }
    }
  }

  #isStopped(): boolean {
    return this.#state === 'stopped';
  }

  #allowedConcurrency(): number {
    const { maximumConcurrency } = this.mapping;
    if (this.#running.size === 0) this.#concurrency = FIRST_CONCURRENCY;
    const mayGrow = this.#running.size >= this.#concurrency;
    if (mayGrow && Date.now() - this.#grownAt >= CONCURRENCY_STEP_MS) {
      this.#concurrency += 1;
      this.#grownAt = Date.now();
    }
    return Math.min(this.#concurrency, maximumConcurrency);
  }

  /** Waits for a first message, then takes more until the batch is full or its window has passed. */
  async #collect(): Promise<Message[]> {
    const { batchSize, windowSeconds } = this.mapping;
    const { queue } = this.#connections;
    const batch = await queue.receive(batchSize, LONG_POLL_SECONDS);
    const closesAt = Date.now() + windowSeconds * 1000;
    let sizeBytes = payloadSize(batch);
    while (batch.length > 0 && batch.length < batchSize && Date.now() < closesAt) {
      if (sizeBytes > PAYLOAD_LIMIT_BYTES / 2 || this.#state !== 'polling') break;
      const more = await queue.receive(batchSize - batch.length, 0);
      batch.push(...more);
      sizeBytes += payloadSize(more);
      if (more.length === 0) await delay(FILL_PAUSE_MS);
    }
    return batch;
  }

  #dispatch(batch: readonly Message[]): void {
    const run = this.#invoke(batch).catch((error: unknown) => {
      if (!this.#isStopped()) this.#connections.onFault(error);
    });
    this.#running.add(run);
    void run.finally(() => this.#running.delete(run));
  }

  async #invoke(batch: readonly Message[]): Promise<void> {
    const { queueArn, reportsItemFailures } = this.mapping;
    const records = batch.map((message) => sqsRecord(message, queueArn));
    const outcome = await this.#connections.invoke(JSON.stringify({ Records: records }));
    const finished = finishedRecords(records, outcome, reportsItemFailures);
    if (finished.length > 0) await this.#connections.queue.delete(finished);
  }
}

function payloadSize(messages: readonly Message[]): number {
  return messages.reduce((sum, { Body = '' }) => sum + Buffer.byteLength(Body), 0);
}
