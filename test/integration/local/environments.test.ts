import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { InvocationOutcome } from '../../../local/lambda/execution-environment.ts';
import type { FunctionConfig } from '../../../local/lambda/function-config.ts';
import { FunctionLog } from '../../../local/lambda/function-log.ts';
import { FunctionPool } from '../../../local/lambda/function-pool.ts';
import { writeBundle } from './support/fixture-app.ts';
import { waitFor } from './support/wait-for.ts';

// A busy machine needs longer than the five seconds of jest to start processes.
jest.setTimeout(120_000);

const BUNDLES = ['misbehave', 'broken-init', 'callback', 'echo'];

let directory: string;
let log: FunctionLog;
const pools: FunctionPool[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'longhaul-environments-'));
  log = new FunctionLog(join(directory, 'functions.log'), {
    alsoToConsole: false,
    onLine: () => undefined,
  });
  await Promise.all(BUNDLES.map((bundle) => writeBundle(bundle, join(directory, bundle))));
});

afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.stop()));
});

afterAll(async () => {
  await log.close();
  await rm(directory, { recursive: true, force: true });
});

function aPool(bundle: string, config: Partial<FunctionConfig> = {}): FunctionPool {
  const pool = new FunctionPool(
    {
      logicalId: 'Fixture',
      path: 'Stack/Fixture/Resource',
      name: 'fixture',
      arn: 'arn:aws:lambda:us-east-1:000000000000:function:fixture',
      directory: join(directory, bundle),
      handler: 'index.handler',
      memoryMb: 64,
      timeoutSeconds: 10,
      reservedConcurrency: undefined,
      streams: false,
      environment: { ONLY: 'this' },
      ...config,
    },
    { emulatorPorts: {}, refusalPort: 0, log, onEnd: () => undefined },
  );
  pools.push(pool);
  return pool;
}

let lastRequest = 0;

function invoke(pool: FunctionPool, event: unknown): Promise<InvocationOutcome> {
  lastRequest += 1;
  return pool.invoke({
    requestId: `request-${lastRequest}`,
    payload: JSON.stringify(event),
    traceId: 'Root=1-2-3',
  });
}

describe('execution environments', () => {
  it('give the handler the environment of the template and nothing of this process', async () => {
    const outcome = await invoke(aPool('echo'), { hello: 'world' });

    const { body } = JSON.parse(outcome.ok ? outcome.payload : '{}') as { body: string };
    expect(JSON.parse(body)).toEqual({
      event: { hello: 'world' },
      environment: { ONLY: 'this', _X_AMZN_TRACE_ID: 'Root=1-2-3' },
      context: expect.objectContaining({
        awsRequestId: `request-${lastRequest}`,
        functionName: 'fixture',
        functionVersion: '$LATEST',
        invokedFunctionArn: 'arn:aws:lambda:us-east-1:000000000000:function:fixture',
        memoryLimitInMB: '64',
        remainingMs: expect.any(Number),
      }),
    });
  });

  it('are used again while they are warm', async () => {
    const pool = aPool('misbehave');

    await invoke(pool, {});
    const second = await invoke(pool, {});

    expect(second).toMatchObject({ ok: true, payload: expect.stringContaining('"body":"2"') });
    expect(pool.environments).toHaveLength(1);
  });

  it('serve one invocation at a time', async () => {
    const pool = aPool('misbehave');

    const hanging = invoke(pool, { mode: 'hang' });
    const others = await Promise.all([invoke(pool, {}), invoke(pool, {})]);

    expect(others.every(({ ok }) => ok)).toBe(true);
    expect(pool.environments.length).toBeGreaterThan(1);
    await pool.stop();
    await expect(hanging).resolves.toMatchObject({ ok: false });
  });

  it.each([
    {
      name: 'a thrown error',
      mode: 'throw',
      error: { errorType: 'RangeError', errorMessage: 'thrown' },
    },
    {
      name: 'a thrown string',
      mode: 'throw-a-string',
      error: { errorType: 'string', errorMessage: 'text' },
    },
    {
      name: 'an answer that is no JSON',
      mode: 'cyclic',
      error: { errorType: 'TypeError' },
    },
    {
      name: 'an answer above the limit of Lambda',
      mode: 'big-response',
      error: { errorType: 'Function.ResponseSizeTooLarge' },
    },
  ])('report $name and live on', async ({ mode, error }) => {
    const pool = aPool('misbehave');

    await expect(invoke(pool, { mode })).resolves.toMatchObject({ ok: false, error });

    expect(pool.environments).toHaveLength(1);
    await expect(invoke(pool, {})).resolves.toMatchObject({ ok: true });
  });

  it.each([
    { name: 'process.exit', mode: 'exit', message: /exit status 3/ },
    { name: 'running out of memory', mode: 'out-of-memory', message: /out of memory/ },
    {
      name: 'an uncaught exception',
      mode: 'uncaught-later',
      errorType: 'Error',
      message: /uncaught/,
    },
    {
      name: 'an unhandled rejection',
      mode: 'unhandled-rejection',
      errorType: 'Runtime.UnhandledPromiseRejection',
      message: /unhandled/,
    },
  ])('die of $name, which fails the invocation only', async ({ mode, message, errorType }) => {
    const pool = aPool('misbehave');

    await expect(invoke(pool, { mode })).resolves.toMatchObject({
      ok: false,
      error: {
        errorType: errorType ?? 'Runtime.ExitError',
        errorMessage: expect.stringMatching(message),
      },
    });

    expect(pool.environments).toHaveLength(0);
    await expect(invoke(pool, {})).resolves.toMatchObject({
      ok: true,
      payload: expect.stringContaining('"body":"1"'),
    });
  });

  it.each(['busy-loop', 'hang'])('end when a %s outlives the timeout', async (mode) => {
    const pool = aPool('misbehave', { timeoutSeconds: 1 });

    await expect(invoke(pool, { mode })).resolves.toEqual({
      ok: false,
      error: {
        errorType: 'Sandbox.Timedout',
        errorMessage: `RequestId: request-${lastRequest} Error: Task timed out after 1.00 seconds`,
      },
    });
    expect(pool.environments).toHaveLength(0);
  });

  it('die when they are told to crash, with the invocation they serve', async () => {
    const pool = aPool('misbehave');
    const hanging = invoke(pool, { mode: 'hang' });
    const busy = await waitFor('a busy environment', () =>
      pool.environments.find(({ state }) => state === 'busy'),
    );

    await busy.crash();

    await expect(hanging).resolves.toMatchObject({
      ok: false,
      error: { errorType: 'Runtime.ExitError', errorMessage: expect.stringMatching(/killed/) },
    });
  });

  it.each([
    {
      name: 'a bundle that throws while it loads',
      bundle: 'broken-init',
      handler: 'index.handler',
      error: { errorType: 'TypeError', errorMessage: expect.stringMatching(/no configuration/) },
    },
    {
      name: 'a handler that takes a callback',
      bundle: 'callback',
      handler: 'index.handler',
      error: { errorType: 'Runtime.CallbackHandlerDeprecated' },
    },
    {
      name: 'a handler that is not exported',
      bundle: 'echo',
      handler: 'index.main',
      error: { errorType: 'Runtime.HandlerNotFound' },
    },
    {
      name: 'a module that is not there',
      bundle: 'echo',
      handler: 'main.handler',
      error: { errorType: 'Runtime.ImportModuleError' },
    },
  ])('report $name', async ({ bundle, handler, error }) => {
    const pool = aPool(bundle, { handler });

    await expect(invoke(pool, {})).resolves.toMatchObject({ ok: false, error });
  });

  it('throttle what exceeds the reserved concurrency', async () => {
    const pool = aPool('misbehave', { reservedConcurrency: 2 });
    const hanging = [invoke(pool, { mode: 'hang' }), invoke(pool, { mode: 'hang' })];

    await expect(invoke(pool, {})).resolves.toMatchObject({
      ok: false,
      error: { errorType: 'TooManyRequestsException' },
    });

    await pool.stop();
    await Promise.all(hanging);
  });

  it('come to the help of requests that wait for one to become free', async () => {
    const pool = aPool('misbehave');
    const hanging = Array.from({ length: 12 }, () => invoke(pool, { mode: 'hang' }));

    await waitFor('an environment for each of the twelve', () => pool.environments.length >= 12);

    await pool.stop();
    await Promise.all(hanging);
  });

  it('leave a line in the log of the functions when they end', async () => {
    const pool = aPool('misbehave');
    await invoke(pool, { mode: 'exit' });

    await waitFor('the line', async () =>
      (await readFile(join(directory, 'functions.log'), 'utf8')).includes(
        'environment ended: Runtime exited with error: exit status 3',
      ),
    );
  });
});
