import { PutObjectCommand, ListObjectsV2Command } from '@aws-sdk/client-s3';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { SchedulerClient } from '@aws-sdk/client-scheduler';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { runCommand } from '../../cli/run-command.ts';
import { HttpServer } from '../../local/http-server.ts';
import { Scheduler } from '../../local/schedules/scheduler.ts';
import { SchedulerApi } from '../../local/schedules/scheduler-api.ts';
import { dynamoScheduleStore } from '../../src/adapters/dynamodb/schedule-store.ts';
import {
  eventBridgeTrigger,
  schedulerClient,
} from '../../src/adapters/scheduler/schedule-trigger.ts';
import { dynamoApiKeyStore } from '../../src/adapters/dynamodb/api-key-store.ts';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../../src/adapters/dynamodb/job-store.ts';
import { dynamoTenantStore } from '../../src/adapters/dynamodb/tenant-store.ts';
import type { Table } from '../../src/adapters/dynamodb/table.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import type { Job } from '../../src/core/job/job.ts';
import { aSchedule } from '../support/a-schedule.ts';
import { aJob, aPage } from '../support/builders.ts';
import {
  type DynamoEmulator,
  type QueueAndBucketEmulator,
  startDynamo,
  startQueuesAndBuckets,
} from '../support/emulators.ts';

const AWS_VARIABLES = ['AWS_REGION', 'AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const;

describe('longhaul tenants delete', () => {
  let dynamo: DynamoEmulator;
  let buckets: QueueAndBucketEmulator;
  let table: Table;
  let bucket: string;
  let schedulerServer: HttpServer;
  let scheduler: SchedulerClient;
  const played = new SchedulerApi(['jobs'], new Scheduler([], () => Promise.resolve()));

  beforeAll(async () => {
    [dynamo, buckets] = await Promise.all([startDynamo(), startQueuesAndBuckets()]);
    for (const name of AWS_VARIABLES) process.env[name] = 'us-east-1';
    process.env.AWS_ENDPOINT_URL_DYNAMODB = dynamo.endpoint;
    process.env.AWS_ENDPOINT_URL_S3 = buckets.endpoint;
    schedulerServer = await HttpServer.listen(0);
    schedulerServer.handle((message, response, url) => played.serve(message, response, url));
    process.env.AWS_ENDPOINT_URL_SCHEDULER = schedulerServer.address;
    scheduler = schedulerClient();
  });

  afterAll(async () => {
    scheduler.destroy();
    await Promise.all([dynamo.stop(), buckets.stop(), schedulerServer.stop()]);
  });

  beforeEach(async () => {
    table = {
      name: await dynamo.createTable(),
      client: documentClient(dynamo.client),
      clock: systemClock,
    };
    bucket = await buckets.createBucket();
    for (const tenantId of ['acme', 'acme-2']) await furnish(tenantId);
  });

  it('deletes jobs, journals, payloads, keys and settings of the tenant, and nothing of another', async () => {
    const { code, out } = await erase('acme', '--confirm', 'acme', '--json');

    expect({ code, told: JSON.parse(out[0] ?? '{}') as unknown }).toEqual({
      code: 0,
      told: { tenantId: 'acme', keys: 1, jobs: 30, items: 61, objects: 2 },
    });
    const left = [...(await items()), ...(await objects())];
    expect(left.filter((text) => /"acme"|\/acme\/|#acme"|acme-key/.test(text))).toEqual([]);
    expect(left.filter((text) => text.includes('acme-2'))).toHaveLength(2 * 30 + 1 + 1 + 2);
  });

  it('removes the triggers of schedules first, and asks for their group before it deletes anything', async () => {
    const schedules = dynamoScheduleStore(table);
    await schedules.put(aSchedule(), undefined);
    const trigger = eventBridgeTrigger({ client: scheduler, group: 'jobs' }, () => ({
      functionArn: 'arn:aws:lambda:us-east-1:000000000000:function:schedules',
      roleArn: 'r',
      deadLetterArn: 'd',
    }));
    await trigger.set(aSchedule(), {});
    const before = await items();

    const refused = await erase('acme', '--confirm', 'acme');
    expect(refused).toMatchObject({ code: 2, notes: expect.stringContaining('--schedule-group') });
    expect(await items()).toEqual(before);

    const done = await erase('acme', '--confirm', 'acme', '--schedule-group', 'jobs');
    expect(done.code).toBe(0);
    expect(played.made).toEqual([]);
    expect(await schedules.find(aSchedule())).toBeUndefined();
  });

  it('can be done again', async () => {
    await erase('acme', '--confirm', 'acme');

    expect((await erase('acme', '--confirm', 'acme', '--json')).code).toBe(0);
  });

  it.each([
    { name: 'without its confirmation', args: [], code: 2, says: '--confirm acme' },
    {
      name: 'with another name as confirmation',
      args: ['--confirm', 'acme-2'],
      code: 2,
      says: '--confirm acme',
    },
  ])('deletes nothing $name', async ({ args, code, says }) => {
    const before = await items();

    expect(await erase('acme', ...args)).toMatchObject({
      code,
      notes: expect.stringContaining(says),
    });
    expect(await items()).toEqual(before);
  });

  it('refuses while a job has not ended, names it, and deletes nothing', async () => {
    await jobs().createJob(jobOf('acme', 99, { status: 'waiting' }));
    const before = await items();

    const refused = await erase('acme', '--confirm', 'acme');

    expect(refused.code).toBe(1);
    expect(refused.notes).toContain(jobOf('acme', 99).jobId);
    expect(await items()).toEqual(before);
  });

  const jobs = () => dynamoJobStore(table);

  function jobOf(tenantId: string, number: number, change: Partial<Job> = {}): Job {
    return aJob({ tenantId, jobId: `job_${tenantId}${number}`, status: 'succeeded', ...change });
  }

  /** 30 jobs, each with a page, which is more than one batch of deletes takes; settings, a key, two objects. */
  async function furnish(tenantId: string): Promise<void> {
    for (let number = 0; number < 30; number++) {
      const job = jobOf(tenantId, number);
      await jobs().createJob(job);
      await jobs().appendPage(aPage({ jobId: job.jobId }));
    }
    await dynamoTenantStore(table).update(tenantId, { requestsPerSecond: 5 }, 1);
    await dynamoApiKeyStore(table).put({
      hash: `${tenantId}-key`,
      tenantId,
      scopes: [],
      prefix: 'lh_x',
      createdAt: 1,
    });
    for (const key of [`tenants/${tenantId}/jobs/job_1/input-1.json`, `uploads/${tenantId}/u1`]) {
      await buckets.s3.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: '{}' }));
    }
  }

  async function erase(...args: string[]) {
    const out: string[] = [];
    const notes: string[] = [];
    const code = await runCommand(['tenants', 'delete', ...args, '--bucket', bucket], {
      out: (line) => out.push(line),
      note: (line) => notes.push(line),
      env: { LONGHAUL_TABLE: table.name },
    });
    return { code, out, notes: notes.join('\n') };
  }

  async function items(): Promise<string[]> {
    const { Items = [] } = await table.client.send(new ScanCommand({ TableName: table.name }));
    return Items.map((item) => JSON.stringify(item)).sort();
  }

  async function objects(): Promise<string[]> {
    const { Contents = [] } = await buckets.s3.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key = '' }) => Key);
  }
});
