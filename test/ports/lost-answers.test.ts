import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../../src/adapters/dynamodb/job-store.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { NOON, aChildOutcome, aJob, aManifest, aPage, aSignal } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { loseAnswers } from '../support/lose-answers.ts';

let dynamo: DynamoEmulator;
let client: DynamoDBClient;
let store: JobStore;

beforeAll(async () => {
  dynamo = await startDynamo();
});

afterAll(() => dynamo.stop());

beforeEach(async () => {
  client = dynamo.connect();
  const clock = { now: () => NOON };
  const name = await dynamo.createTable();
  store = dynamoJobStore({ client: documentClient(client), name, clock });
});

afterEach(() => {
  client.destroy();
});

describe('a write whose answer is lost and that the SDK sends again', () => {
  it('appends a page once and says so', async () => {
    const lost = loseAnswers(client, 'PutItemCommand');
    expect(await store.appendPage(aPage())).toBe('appended');
    expect(await store.readPages({ jobId: 'job-1', generation: 1, afterSeq: 0 })).toEqual([
      aPage(),
    ]);
    expect(lost()).toBe(1);
  });

  it('still loses to the page of another worker', async () => {
    await store.appendPage(
      aPage({ totals: { progressReports: 9, stepsFailed: 0, stepsSucceeded: 0 } }),
    );
    loseAnswers(client, 'PutItemCommand');
    expect(await store.appendPage(aPage())).toBe('conflict');
  });

  it('creates a job once, and answers the very same job as existing', async () => {
    const lost = loseAnswers(client, 'PutItemCommand');
    expect(await store.createJob(aJob())).toEqual({ created: false, existing: aJob() });
    expect(lost()).toBe(1);
  });

  it('claims a job once, and answers it as it stands after the claim', async () => {
    await store.createJob(aJob());
    const lost = loseAnswers(client, 'UpdateItemCommand');
    const result = await store.updateJob('job-1', {
      condition: { attribute: 'status', is: '=', value: 'queued' },
      set: { status: 'running', owner: 'me' },
      add: { epoch: 1 },
    });
    const job = aJob({ status: 'running', owner: 'me', epoch: 1 });
    expect(result).toEqual({ applied: false, job });
    expect(lost()).toBe(1);
  });

  it('renews and deletes a manifest as if nothing had happened', async () => {
    await store.putManifest(aManifest());
    loseAnswers(client, 'UpdateItemCommand');
    const renewed = aManifest({ leaseExpiresAt: NOON + 90_000 });
    expect(await store.renewManifest('invocation-1', NOON + 90_000)).toEqual(renewed);
    expect(await store.getManifest('invocation-1')).toEqual(renewed);
  });

  it('puts a signal and the outcome of a sub-job once, and answers that they are there', async () => {
    const lost = loseAnswers(client, 'PutItemCommand');
    expect(await store.putSignal(aSignal())).toBe('duplicate');
    expect(await store.putChildOutcome(aChildOutcome())).toBe('duplicate');
    expect(lost()).toBe(2);
    expect(await store.listSignals('job-1')).toEqual([aSignal()]);
    expect(await store.listChildOutcomes('job-1')).toEqual([aChildOutcome()]);
  });

  it('calls attention to the job, at worst twice', async () => {
    await store.putManifest(aManifest());
    loseAnswers(client, 'UpdateItemCommand');
    await store.callAttention('invocation-1', 'job-1');
    expect((await store.getManifest('invocation-1'))?.attention).toEqual(['job-1', 'job-1']);
  });
});
