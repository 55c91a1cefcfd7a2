import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { buildApp, type BuildAppOptions } from 'fauxqs';
import { handOutFairly } from './fair-order.ts';
import { fauxqsStores } from './fauxqs-stores.ts';
import { levelsOf } from './queue-levels.ts';

type ToQueues =
  | { readonly endPollsOf: string }
  | { readonly levelsOf: readonly string[]; readonly question: number };

const { queuePrototype, sqsStore, snsStore, s3Store } = await fauxqsStores();
handOutFairly(queuePrototype);
// Without a host, queue URLs carry the address the caller used: http://127.0.0.1:<port>/000000000000/<name>.
sqsStore.host = '';

const app = buildApp({
  logger: false,
  stores: { sqsStore, snsStore, s3Store } as unknown as NonNullable<BuildAppOptions['stores']>,
});
await app.listen({ port: 0, host: '127.0.0.1' });
parentPort?.on('message', (message: ToQueues) => {
  if ('endPollsOf' in message) {
    sqsStore.getQueueByName(message.endPollsOf)?.cancelWaiters();
    return;
  }
  const queues = message.levelsOf.map((name) => sqsStore.getQueueByName(name));
  const answer = queues.filter((queue) => queue !== undefined).map(levelsOf);
  parentPort?.postMessage({ question: message.question, answer });
});
parentPort?.postMessage({ port: (app.server.address() as AddressInfo).port });
