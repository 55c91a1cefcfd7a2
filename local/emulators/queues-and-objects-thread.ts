import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import { buildApp, type BuildAppOptions } from 'fauxqs';
import { handOutFairly } from './fair-order.ts';
import { fauxqsStores } from './fauxqs-stores.ts';

const { queuePrototype, sqsStore, snsStore, s3Store } = await fauxqsStores();
handOutFairly(queuePrototype);
// Without a host, queue URLs carry the address the caller used: http://127.0.0.1:<port>/000000000000/<name>.
sqsStore.host = '';

const app = buildApp({
  logger: false,
  stores: { sqsStore, snsStore, s3Store } as unknown as NonNullable<BuildAppOptions['stores']>,
});
await app.listen({ port: 0, host: '127.0.0.1' });
parentPort?.on('message', ({ endPollsOf }: { endPollsOf: string }) => {
  sqsStore.getQueueByName(endPollsOf)?.cancelWaiters();
});
parentPort?.postMessage({ port: (app.server.address() as AddressInfo).port });
