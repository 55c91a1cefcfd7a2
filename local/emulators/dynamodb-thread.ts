import type { AddressInfo } from 'node:net';
import { parentPort } from 'node:worker_threads';
import dynalite from 'dynalite';

const server = dynalite({ createTableMs: 0, updateTableMs: 0, deleteTableMs: 0 });
server.listen(0, '127.0.0.1', () => {
  parentPort?.postMessage({ port: (server.address() as AddressInfo).port });
});
