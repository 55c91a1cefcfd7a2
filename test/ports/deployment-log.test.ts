import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { dynamoDeploymentLog } from '../../src/adapters/dynamodb/deployment-log.ts';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import type { DeploymentLog } from '../../src/core/ports/deployment-log.ts';
import { NOON } from '../support/builders.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';

describe('deployment log', () => {
  let dynamo: DynamoEmulator;
  let log: DeploymentLog;

  beforeAll(async () => {
    dynamo = await startDynamo();
  });

  afterAll(() => dynamo.stop());

  beforeEach(async () => {
    const name = await dynamo.createTable();
    const clock = { now: () => NOON };
    log = dynamoDeploymentLog({ client: documentClient(dynamo.client), name, clock });
  });

  it('begins with whoever asks first, and keeps to that', async () => {
    expect(await log.since('one', NOON)).toBe(NOON);
    expect(await log.since('one', NOON + 60_000)).toBe(NOON);
  });

  it('begins anew with another deployment, and when one comes back', async () => {
    await log.since('one', NOON);

    expect(await log.since('two', NOON + 60_000)).toBe(NOON + 60_000);
    expect(await log.since('one', NOON + 120_000)).toBe(NOON + 120_000);
  });
});
