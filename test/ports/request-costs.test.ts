import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../../src/adapters/dynamodb/job-store.ts';
import type { ListPosition } from '../../src/core/job/list-position.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { NOON, aChildOutcome, aJob, aManifest, aPage, aSignal } from '../support/builders.ts';
import { countReadUnits } from '../support/count-read-units.ts';
import { type CountedRequest, countTableRequests } from '../support/count-requests.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { seedJobs } from '../support/seed-jobs.ts';
import { returnOldItems } from '../support/return-old-items.ts';

let dynamo: DynamoEmulator;
let client: DynamoDBClient;
let store: JobStore;
let table: string;
let requests: CountedRequest[];

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  client = dynamo.connect();
  requests = [];
  countTableRequests(client, dynamo.client, requests);
  returnOldItems(client, dynamo.client);
  table = await dynamo.createTable();
  const clock = { now: () => NOON };
  store = dynamoJobStore({ client: documentClient(client), name: table, clock });
});

afterEach(() => {
  client.destroy();
});

/** Requests and units of what has been done since the last call, as `PutItem 1+1+1` (table, by-tenant, due). */
function bill(): string[] {
  return requests.splice(0).map(({ operation, refused, units }) => {
    const price = units && `${units.table}+${units.byTenant}+${units.due}`;
    return [operation, price, refused === true ? 'refused' : undefined]
      .filter((part) => part !== undefined)
      .join(' ');
  });
}

/** Names of the store's reads by what they ask for. */
async function readsByConsistency() {
  const asked: boolean[] = [];
  client.middlewareStack.add(
    (next) => (args) => {
      asked.push((args.input as { ConsistentRead?: boolean }).ConsistentRead === true);
      return next(args);
    },
    { step: 'initialize' },
  );
  const reads: Record<string, () => Promise<unknown>> = {
    getJob: () => store.getJob('job-1'),
    getInput: () => store.getInput(aJob()),
    getResult: () => store.getResult(aJob()),
    loadHistory: () => store.loadHistory('job-1'),
    readPages: () => store.readPages({ jobId: 'job-1', generation: 1, afterSeq: 0 }),
    listSignals: () => store.listSignals('job-1'),
    listChildOutcomes: () => store.listChildOutcomes('job-1'),
    getManifest: () => store.getManifest('invocation-1'),
    lastPage: () => store.lastPage('job-1', 1),
    listPages: () => store.listPages('job-1'),
    lookAt: () => store.lookAt('job-1', { generation: 1, seq: 0 }, { consistent: false }),
    listDue: () => store.listDue(NOON, 10),
    listJobs: () => store.listJobs({ tenantId: 'acme', from: 0, to: NOON, limit: 1 }),
  };
  const consistent: string[] = [];
  const eventual: string[] = [];
  for (const [name, read] of Object.entries(reads)) {
    asked.length = 0;
    await read();
    if (asked.every(Boolean)) consistent.push(name);
    if (!asked.some(Boolean)) eventual.push(name);
  }
  return { consistent, eventual };
}

const QUEUED = { attribute: 'status', is: '=', value: 'queued' } as const;
const CLAIM = {
  condition: QUEUED,
  set: { status: 'running', owner: 'me', ownerUntil: NOON },
  add: { epoch: 1 },
} as const;

describe('what AWS bills', () => {
  it('for a job from submit to its end', async () => {
    await store.createJob(aJob());
    expect(bill()).toEqual(['PutItem 1+1+1']);

    await store.updateJob('job-1', CLAIM);
    expect(bill()).toEqual(['UpdateItem 1+0+0']);

    await store.appendPage(aPage());
    expect(bill()).toEqual(['PutItem 1+0+0']);

    await store.updateJob('job-1', {
      condition: { attribute: 'owner', is: '=', value: 'me' },
      set: { status: 'succeeded', result: { kind: 'inline', json: '"done"' } },
      remove: ['owner', 'ownerUntil', 'dueAt'],
    });
    expect(bill()).toEqual(['UpdateItem 1+0+1']);
  });

  it('for inputs and results in items of their own', async () => {
    await store.createJob(aJob(), '"input"');
    await store.putResult({ ...aJob(), json: '"result"' });
    expect(bill()).toEqual(['PutItem 1+0+0', 'PutItem 1+1+1', 'PutItem 1+0+0']);
  });

  it('for refusals: no read, where DynamoDB returns the item', async () => {
    await store.createJob(aJob());
    await store.updateJob('job-1', CLAIM);
    await store.appendPage(aPage());
    bill();

    await store.createJob(aJob());
    await store.updateJob('job-1', CLAIM);
    await store.appendPage(aPage());
    const refused = ['PutItem 1+0+0 refused', 'UpdateItem 1+0+0 refused', 'PutItem 1+0+0 refused'];
    expect(bill()).toEqual(refused);
  });

  it('for signals and outcomes of sub-jobs, the second time as well', async () => {
    await store.putSignal(aSignal());
    await store.putChildOutcome(aChildOutcome());
    expect(bill()).toEqual(['PutItem 1+0+0', 'PutItem 1+0+0']);

    await store.putSignal(aSignal());
    await store.putChildOutcome(aChildOutcome());
    expect(bill()).toEqual(['PutItem 1+0+0 refused', 'PutItem 1+0+0 refused']);
  });

  it('for a call for attention, also when the invocation is gone', async () => {
    await store.callAttention('invocation-1', 'job-1');
    await store.putManifest(aManifest());
    await store.callAttention('invocation-1', 'job-1');
    expect(bill()).toEqual(['UpdateItem 1+0+0 refused', 'PutItem 1+0+1', 'UpdateItem 1+0+0']);
  });

  it('for the lease of an invocation', async () => {
    await store.putManifest(aManifest());
    await store.renewManifest('invocation-1', NOON + 90_000);
    await store.deleteManifest('invocation-1');
    expect(bill()).toEqual(['PutItem 1+0+1', 'UpdateItem 1+0+2', 'DeleteItem 1+0+1']);
  });

  it('at the strongly consistent price for the reads that decide something, and for no other', async () => {
    const { consistent, eventual } = await readsByConsistency();
    expect(consistent).toEqual([
      'getJob',
      'getInput',
      'getResult',
      'loadHistory',
      'readPages',
      'listSignals',
      'listChildOutcomes',
      'getManifest',
    ]);
    expect(eventual).toEqual(['lastPage', 'listPages', 'lookAt', 'listDue', 'listJobs']);
  });

  it('for reading: one request each, and one per shard of the due index', async () => {
    await store.getJob('job-1');
    await store.loadHistory('job-1');
    await store.lastPage('job-1', 1);
    await store.listPages('job-1');
    await store.lookAt('job-1', { generation: 1, seq: 0 }, { consistent: false });
    await store.listSignals('job-1');
    await store.listChildOutcomes('job-1');
    expect(bill()).toEqual(['GetItem', 'Query', 'Query', 'Query', 'Query', 'Query', 'Query']);
    await store.listDue(NOON, 10);
    expect(bill()).toEqual(Array.from({ length: 8 }, () => 'Query'));
  });

  it('for a page of the list: one request per shard and one for the jobs, however many there are', async () => {
    const page = async (after?: ListPosition) => {
      const query = { tenantId: 'acme', from: 0, to: NOON, limit: 20 };
      const { entries } = await store.listJobs({ ...query, ...(after && { after }) });
      expect(entries).toHaveLength(20);
      return { requests: bill(), units: readUnits.splice(0), last: entries.at(-1)?.position };
    };
    const createJobs = (from: number, to: number) =>
      seedJobs(
        documentClient(dynamo.client),
        table,
        Array.from({ length: to - from }, (_, index) =>
          aJob({ jobId: `job-${from + index}`, createdAt: NOON - from - index }),
        ),
      );
    await createJobs(0, 100);
    const readUnits = countReadUnits(client);
    const first = await page();
    expect(first.requests).toEqual(['Query', 'Query', 'Query', 'Query', 'BatchGetItem']);
    // Keys of 20 jobs weigh less than 4 KB: half a unit for each query, and half a unit for each job.
    expect(first.units).toEqual([0.5, 0.5, 0.5, 0.5, 10]);
    const second = await page(first.last);

    await createJobs(100, 2_000);
    readUnits.length = 0;

    expect(await page()).toEqual(first);
    expect(await page(first.last)).toEqual(second);
  });
});
