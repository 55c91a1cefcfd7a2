import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { Random } from '../simulation/world/random.ts';

export interface CuttingProxy {
  /** `target` as it is reached through the proxy. */
  readonly url: string;
  /** Connections that were cut so far. */
  readonly cuts: number;
  stop(): Promise<void>;
}

/** Passes TCP on to `target`, and cuts each of the first connections after a random number of bytes to the client. */
export async function startCuttingProxy(
  target: string,
  { seed, cuts, mostBytes }: { seed: number; cuts: number; mostBytes: number },
): Promise<CuttingProxy> {
  const random = new Random(seed);
  const { hostname, port, pathname } = new URL(target);
  const sockets = new Set<Socket>();
  let [opened, cut] = [0, 0];
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname);
    let left = opened++ < cuts ? random.between(0, mostBytes) : Infinity;
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    client.on('data', (chunk) => upstream.write(chunk));
    upstream.on('data', (chunk) => {
      client.write(chunk.subarray(0, left));
      left -= chunk.length;
      if (left > 0) return;
      cut += 1;
      // What was written before it still arrives.
      client.end();
      upstream.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}${pathname}`,
    get cuts() {
      return cut;
    },
    stop: async () => {
      sockets.forEach((socket) => socket.destroy());
      server.close();
      await once(server, 'close');
    },
  };
}
