import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { CloudState } from '../../../local/state-file.ts';
import { anApi, aFunction, writeAssembly, type FixtureTemplate } from './support/fixture-app.ts';
import { waitFor } from './support/wait-for.ts';

// A busy machine needs longer than the five seconds of jest to start processes.
jest.setTimeout(60_000);

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

const TEMPLATE: FixtureTemplate = {
  Resources: {
    JobTable: {
      Type: 'AWS::DynamoDB::Table',
      Properties: {
        KeySchema: [
          { AttributeName: 'pk', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        AttributeDefinitions: [
          { AttributeName: 'pk', AttributeType: 'S' },
          { AttributeName: 'sk', AttributeType: 'S' },
        ],
      },
    },
    Payloads: { Type: 'AWS::S3::Bucket' },
    Jobs: { Type: 'AWS::SQS::Queue' },
    Echo: aFunction('echo'),
    ...anApi([{ method: 'GET', path: '/echo', function: 'Echo' }]),
  },
  Outputs: { JobTableName: { Value: { Ref: 'JobTable' } } },
};

interface Run {
  readonly child: ChildProcess;
  readonly stateDirectory: string;
  readonly exit: Promise<number | null>;
  output(): string;
}

const runs: Run[] = [];
const directories: string[] = [];

afterEach(async () => {
  for (const { child, exit } of runs.splice(0)) {
    child.kill('SIGKILL');
    await exit;
  }
  await Promise.all(
    directories.splice(0).map((path) => rm(path, { recursive: true, force: true })),
  );
});

async function run(template: FixtureTemplate, ...args: string[]): Promise<Run> {
  const assembly = await writeAssembly(template);
  const stateDirectory = await mkdtemp(join(tmpdir(), 'longhaul-main-'));
  directories.push(assembly, stateDirectory);
  const { NODE_OPTIONS: _ofJest, ...env } = process.env;
  const child = spawn(
    process.execPath,
    ['local/main.ts', '--assembly', assembly, '--state-dir', stateDirectory, ...args],
    { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe', 'ipc'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk: Buffer) => (output += chunk.toString()));
  }
  const exit = once(child, 'exit').then(([code]) => code as number | null);
  const started = { child, stateDirectory, exit, output: () => output };
  runs.push(started);
  return started;
}

const stateFile = ({ stateDirectory }: Run) => join(stateDirectory, 'local.json');

async function stateOf(started: Run): Promise<CloudState> {
  await waitFor(`local.json, got ${started.output()}`, () => existsSync(stateFile(started)));
  return JSON.parse(await readFile(stateFile(started), 'utf8')) as CloudState;
}

describe('npm start', () => {
  it('writes what others need to know, says that it is ready, and stops cleanly', async () => {
    const started = await run(TEMPLATE);

    const state = await stateOf(started);
    const key = expect.stringMatching(/^lh_/);
    expect(state).toEqual({
      pid: started.child.pid,
      apiUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v1$/),
      controlUrl: state.apiUrl.replace('/v1', '/_local'),
      endpoints: {
        dynamodb: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        sqs: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        s3: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        events: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        scheduler: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      },
      region: 'us-east-1',
      keys: { acme: key, globex: key, ops: key },
      outputs: { JobTableName: 'Fixture-JobTable' },
      tables: { JobTable: 'Fixture-JobTable' },
      queues: { Jobs: 'Fixture-Jobs' },
      queueUrls: { Jobs: `${state.endpoints.sqs}/000000000000/Fixture-Jobs` },
      buckets: { Payloads: 'fixture-payloads' },
    });
    await waitFor('the ready line', () =>
      started.output().endsWith(`Longhaul is ready at ${state.apiUrl}\n`),
    );
    expect((await fetch(`${state.apiUrl}/echo`)).status).toBe(200);

    started.child.kill('SIGINT');

    await expect(started.exit).resolves.toBe(0);
    expect(existsSync(stateFile(started))).toBe(false);
    await expect(fetch(state.apiUrl)).rejects.toThrow();
  });

  it('stops when the program that started it is gone', async () => {
    const started = await run(TEMPLATE);
    await stateOf(started);

    started.child.disconnect();

    await expect(started.exit).resolves.toBe(0);
  });

  it('stops while it is still starting', async () => {
    const started = await run(TEMPLATE);
    // Written before the keys are made, which takes a while.
    await waitFor('the log', () => existsSync(join(started.stateDirectory, 'functions.log')));

    started.child.kill('SIGTERM');

    await expect(started.exit).resolves.toBe(0);
    expect(started.output()).not.toContain('ready');
    expect(existsSync(stateFile(started))).toBe(false);
  });

  it('runs beside others', async () => {
    const [one, other] = await Promise.all([run(TEMPLATE), run(TEMPLATE)]);

    const [{ apiUrl }, { apiUrl: otherUrl }] = await Promise.all([stateOf(one), stateOf(other)]);

    expect(apiUrl).not.toBe(otherUrl);
  });

  it('leaves the directory to the cloud that runs in it, and takes it once that was killed', async () => {
    const first = await run(TEMPLATE);
    const { apiUrl } = await stateOf(first);
    const sameDirectory = ['--state-dir', first.stateDirectory];

    const second = await run(TEMPLATE, ...sameDirectory);

    await expect(second.exit).resolves.toBe(1);
    expect(second.output()).toContain(
      `${first.stateDirectory} is in use by the local cloud of process ${first.child.pid}`,
    );
    expect((await fetch(`${apiUrl}/echo`)).status).toBe(200);

    first.child.kill('SIGKILL');
    await first.exit;
    const third = await run(TEMPLATE, ...sameDirectory);

    await waitFor('the ready line', () => third.output().includes('Longhaul is ready'));
  });

  it('says which port is taken and ends', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as AddressInfo;

    const started = await run(TEMPLATE, '--port', String(port));

    await expect(started.exit).resolves.toBe(1);
    expect(started.output()).toContain(`address already in use 127.0.0.1:${port}`);
    taken.close();
  });

  it('names the resource it does not know and ends', async () => {
    const Resources = { ...TEMPLATE.Resources, Network: { Type: 'AWS::EC2::VPC' } };

    const started = await run({ Resources });

    await expect(started.exit).resolves.toBe(1);
    expect(started.output()).toContain('Network: unknown resource type AWS::EC2::VPC');
  });
});
