import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { currentAssembly } from './assembly.ts';
import { startLocalCloud } from './cloud.ts';
import { createKeysWithCli } from './create-keys.ts';

const { values } = parseArgs({
  options: {
    port: { type: 'string', default: '0' },
    'state-dir': { type: 'string', default: '.longhaul' },
    assembly: { type: 'string' },
    context: { type: 'string', short: 'c', multiple: true, default: [] },
    verbose: { type: 'boolean', default: false },
  },
});

const say = (line: string) => process.stdout.write(`${line}\n`);

const stopping = new AbortController();
for (const event of ['SIGINT', 'SIGTERM', 'disconnect'] as const) {
  process.once(event, () => {
    stopping.abort();
  });
}
const stopRequested = once(stopping.signal, 'abort');

const startedAt = Date.now();
try {
  const cloud = await startLocalCloud({
    assembly:
      values.assembly ?? currentAssembly(say, { signal: stopping.signal, context: values.context }),
    stateDirectory: values['state-dir'],
    port: Number(values.port),
    verbose: values.verbose,
    createKeys: createKeysWithCli,
  });
  if (!stopping.signal.aborted) {
    for (const [name, key] of Object.entries(cloud.keys)) say(`Key ${name}: ${key}`);
    say(`Control routes are at ${cloud.controlUrl}`);
    say(`Started in ${((Date.now() - startedAt) / 1000).toFixed(1)} s; stop with Ctrl-C`);
    say(`Longhaul is ready at ${cloud.apiUrl}`);
    await stopRequested;
  }
  await cloud.stop();
  process.exit(0);
} catch (error) {
  if (stopping.signal.aborted) process.exit(0);
  process.stderr.write(`${Error.isError(error) ? error.message : String(error)}\n`);
  process.exit(1);
}
