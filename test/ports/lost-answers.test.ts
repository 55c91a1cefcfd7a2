import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../../src/adapters/dynamodb/job-store.ts';
import type { JobStore } from '../../src/core/ports/job-store.ts';
import { NOON, aJob, aManifest, aPage } from '../support/builders.ts';
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
    expect(await store.renewManifest('invocation-1', NOON + 90_000)).toBe(true);
    expect((await store.getManifest('invocation-1'))?.leaseExpiresAt).toBe(NOON + 90_000);
  });
});
