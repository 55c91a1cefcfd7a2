import { afterEach, describe, expect, it } from '@jest/globals';
import { dnsResolve, systemResolve } from '../../src/adapters/webhook/resolve-host.ts';
import { type NameAnswers, NameServer } from '../support/name-server.ts';

describe('the addresses of a receiver', () => {
  let server: NameServer | undefined;

  afterEach(async () => {
    await server?.stop();
    server = undefined;
  });

  async function resolver(answers: NameAnswers) {
    server = await NameServer.start(answers);
    return dnsResolve([server.address]);
  }

  it('are all that its name has, of either kind', async () => {
    const resolve = await resolver((_name, type) =>
      type === 'A'
        ? [Buffer.from([1, 1, 1, 1]), Buffer.from([10, 0, 0, 1])]
        : [Buffer.from('26064700000000000000000000001111', 'hex')],
    );
    expect(await resolve('receiver.example')).toEqual([
      { address: '1.1.1.1', family: 4 },
      { address: '10.0.0.1', family: 4 },
      { address: '2606:4700::1111', family: 6 },
    ]);
  });

  it('may be of one kind only', async () => {
    const resolve = await resolver((_name, type) =>
      type === 'A' ? [Buffer.from([1, 1, 1, 1])] : [],
    );
    expect(await resolve('receiver.example')).toEqual([{ address: '1.1.1.1', family: 4 }]);
  });

  it('are an error when there are none', async () => {
    const resolve = await resolver(() => []);
    await expect(resolve('receiver.example')).rejects.toMatchObject({ code: 'ENODATA' });
  });

  it('do not wait for those of receivers whose name servers do not answer', async () => {
    const isSlow = (name: string) => name.startsWith('slow');
    const resolve = await resolver((name, type) => {
      if (isSlow(name)) return undefined;
      return type === 'A' ? [Buffer.from([1, 1, 1, 1])] : [];
    });
    const settled: string[] = [];
    const ask = (name: string) =>
      resolve(name)
        .catch(() => undefined)
        .then(() => settled.push(name));

    const slow = Array.from({ length: 16 }, (_, index) => ask(`slow${index}.example`));
    await ask('quick.example');

    expect(settled).toEqual(['quick.example']);
    await server?.stop();
    server = undefined;
    await Promise.all(slow);
  });

  it('of this machine are known without a name server', async () => {
    expect((await systemResolve('localhost')).map(({ address }) => address)).toContain('127.0.0.1');
  });
});
