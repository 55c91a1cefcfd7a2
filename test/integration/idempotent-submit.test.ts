import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { CreateTableCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  powertoolsRunOnce,
  type RunOnce,
} from '../../src/adapters/idempotency/powertools-run-once.ts';
import { memoryJobStore } from '../../src/adapters/memory/job-store.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { NOON } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { bodyOf } from '../support/http.ts';
import { submitWorld } from '../support/submit-world.ts';

const BODY = { agent: 'echo', input: { value: 1 }, metadata: { b: '2', a: '1' } };
const key = (value: string) => ({ headers: { 'idempotency-key': value } });

describe('submit with an idempotency key', () => {
  let dynamo: DynamoEmulator;
  let tables = 0;

  beforeAll(async () => {
    dynamo = await startDynamo();
  });

  afterAll(async () => {
    await dynamo.stop();
  });

  async function aRunOnce(): Promise<{ runOnce: RunOnce; tableName: string }> {
    const tableName = `idempotency-${++tables}`;
    await dynamo.client.send(
      new CreateTableCommand({
        TableName: tableName,
        BillingMode: 'PAY_PER_REQUEST',
        AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
        KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
      }),
    );
    return { runOnce: powertoolsRunOnce({ client: dynamo.client, tableName }), tableName };
  }

  async function recordsIn(tableName: string) {
    const { Items = [] } = await dynamo.client.send(new ScanCommand({ TableName: tableName }));
    return Items;
  }

  it('answers the same again, and says that it is a replay', async () => {
    const { runOnce, tableName } = await aRunOnce();
    const world = submitWorld({ runOnce });

    const first = await world.submit(BODY, key('order-17'));
    world.now += 60_000;
    const replay = await world.submit(
      '{ "metadata": {"a":"1","b":"2"}, "input": {"value": 1.0}, "agent": "echo" }',
      key('"order-17"'),
    );

    expect(first.statusCode).toBe(202);
    expect(first.headers).not.toHaveProperty('idempotent-replayed');
    expect(replay).toMatchObject({
      statusCode: 202,
      headers: { 'idempotent-replayed': 'true', location: first.headers?.location },
    });
    expect(bodyOf(replay)).toEqual(bodyOf(first));
    expect(world.queue.messages).toHaveLength(1);
    // A record costs one write unit as long as it is under 1 KB, whatever the caller's metadata takes.
    const [record] = await recordsIn(tableName);
    expect(JSON.stringify(record).length).toBeLessThan(1024);
    expect(record?.id?.S).toMatch(/^submit#/);
    const lifetime = 120 * 86_400;
    const expiresIn = Number(record?.expiration?.N) - Math.floor(Date.now() / 1000);
    expect(expiresIn).toBeGreaterThan(lifetime - 60);
    expect(expiresIn).toBeLessThanOrEqual(lifetime + 1);
  });

  it('keeps the keys of two tenants apart', async () => {
    const world = submitWorld(await aRunOnce());

    const acme = await world.submit(BODY, key('same'));
    const globex = await world.submit(BODY, {
      ...key('same'),
      caller: { tenantId: 'globex', scopes: 'jobs:write' },
    });

    expect(globex.headers).not.toHaveProperty('idempotent-replayed');
    expect(bodyOf(globex).jobId).not.toBe(bodyOf(acme).jobId);
  });

  it('refuses the key with another payload', async () => {
    const world = submitWorld(await aRunOnce());
    await world.submit(BODY, key('order-17'));

    const other = await world.submit({ ...BODY, input: { value: 2 } }, key('order-17'));

    expect(bodyOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect((await world.submit(BODY, key('order-17'))).statusCode).toBe(202);
  });

  it('makes one job of twenty submits at once', async () => {
    const world = submitWorld(await aRunOnce());

    const results = await Promise.all(
      Array.from({ length: 20 }, () => world.submit(BODY, key('storm'))),
    );

    const accepted = results.filter(({ statusCode }) => statusCode === 202);
    const busy = results.filter(({ statusCode }) => statusCode === 409);
    expect(accepted.length).toBeGreaterThanOrEqual(1);
    expect(accepted.length + busy.length).toBe(20);
    expect(new Set(accepted.map((result) => bodyOf(result).jobId)).size).toBe(1);
    expect(accepted.filter(({ headers }) => !headers?.['idempotent-replayed'])).toHaveLength(1);
    busy.forEach((result) => {
      expect(bodyOf(result)).toMatchObject({ code: 'idempotency_in_progress' });
      expect(result.headers).toMatchObject({ 'retry-after': '1' });
    });
    expect(world.queue.messages).toHaveLength(1);
  });

  it('answers 409 while the first is being written, and 422 to another payload meanwhile', async () => {
    const gate = Promise.withResolvers<undefined>();
    const entered = Promise.withResolvers<undefined>();
    const jobs = memoryJobStore({ now: () => NOON });
    const slow: Pick<JobStore, 'createJob'> = {
      createJob: async (...args) => {
        entered.resolve(undefined);
        await gate.promise;
        return jobs.createJob(...args);
      },
    };
    const world = submitWorld({ ...(await aRunOnce()), jobs: slow });

    const first = world.submit(BODY, key('slow'));
    await entered.promise;
    const same = await world.submit(BODY, key('slow'));
    const other = await world.submit({ ...BODY, tags: ['x'] }, key('slow'));
    gate.resolve(undefined);

    expect(bodyOf(same)).toMatchObject({ status: 409, code: 'idempotency_in_progress' });
    expect(same.headers).toMatchObject({ 'retry-after': '1' });
    expect(bodyOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
    expect((await first).statusCode).toBe(202);
  });

  it('remembers no failure: the same key works as soon as the store does', async () => {
    let failures = 1;
    const jobs = memoryJobStore({ now: () => NOON });
    const flaky: Pick<JobStore, 'createJob'> = {
      createJob: (...args) =>
        failures-- > 0 ? Promise.reject(new Error('down')) : jobs.createJob(...args),
    };
    const world = submitWorld({ ...(await aRunOnce()), jobs: flaky });

    expect((await world.submit(BODY, key('again'))).statusCode).toBe(500);
    const again = await world.submit(BODY, key('again'));

    expect(again.statusCode).toBe(202);
    expect(again.headers).not.toHaveProperty('idempotent-replayed');
  });

  describe('when the record is gone and the job is there', () => {
    it('finds the job, sends the hint again and says that it is a replay', async () => {
      const before = submitWorld(await aRunOnce());
      const first = await before.submit(BODY, key('lost'));
      const after = submitWorld({ ...(await aRunOnce()), jobs: before.jobs });
      after.now += 5_000;

      const replay = await after.submit(BODY, key('lost'));

      expect(replay.headers).toMatchObject({ 'idempotent-replayed': 'true' });
      expect(bodyOf(replay)).toEqual(bodyOf(first));
      expect(after.queue.messages).toHaveLength(1);
    });

    it('refuses another payload and does not remember the refusal', async () => {
      const before = submitWorld(await aRunOnce());
      await before.submit(BODY, key('lost'));
      const { runOnce, tableName } = await aRunOnce();
      const after = submitWorld({ runOnce, jobs: before.jobs });

      const other = await after.submit({ ...BODY, input: { value: 2 } }, key('lost'));

      expect(bodyOf(other)).toMatchObject({ status: 422, code: 'idempotency_key_reused' });
      expect(await recordsIn(tableName)).toEqual([]);
      expect((await after.submit(BODY, key('lost'))).statusCode).toBe(202);
    });
  });

  it('accepts the job when only the note of it cannot be written', async () => {
    const { tableName } = await aRunOnce();
    let calls = 0;
    const client = dynamo.client;
    const brokenAfterFirst = new Proxy(client, {
      get: (target, name) =>
        name === 'send'
          ? (command: never) =>
              ++calls === 2 ? Promise.reject(new Error('down')) : target.send(command)
          : (Reflect.get(target, name) as unknown),
    });
    const world = submitWorld({
      runOnce: powertoolsRunOnce({ client: brokenAfterFirst, tableName }),
    });

    expect((await world.submit(BODY, key('note'))).statusCode).toBe(202);
    expect(calls).toBe(2);
  });
});
