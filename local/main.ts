import { once } from 'node:events';
import { parseArgs } from 'node:util';
import { currentAssembly } from './assembly.ts';
import { startLocalCloud } from './cloud.ts';
import { createKeysWithCli } from './create-keys.ts';

const values = options();

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

function options() {
  try {
    const { values } = parseArgs({
      options: {
        port: { type: 'string', default: '0' },
        'state-dir': { type: 'string', default: '.longhaul' },
        assembly: { type: 'string' },
        context: { type: 'string', short: 'c', multiple: true, default: [] },
        verbose: { type: 'boolean', default: false },
      },
    });
    if (/^\d{1,5}$/.test(values.port) && Number(values.port) < 65_536) return values;
    throw new Error(`--port is ${JSON.stringify(values.port)}: allowed is a number up to 65535`);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    console.error(
      'usage: npm start -- [--port N] [--state-dir DIR] [--assembly DIR] [--context KEY=VALUE] [--verbose]',
    );
    process.exit(2);
  }
}
