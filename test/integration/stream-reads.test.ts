import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { eventsRoute } from '../../lambdas/http/events-route.ts';
import { streamedHandler } from '../../lambdas/http/streamed-handler.ts';
import { documentClient } from '../../src/adapters/dynamodb/document-client.ts';
import { dynamoJobStore } from '../../src/adapters/dynamodb/job-store.ts';
import type { Job } from '../../src/core/job/job.ts';
import { EVENT_STREAM_SECONDS } from '../../src/protocol/limits.ts';
import { aJob, aPage, NOON } from '../support/builders.ts';
import { type CountedRequest, countTableRequests } from '../support/count-requests.ts';
import { type DynamoEmulator, startDynamo } from '../support/emulators.ts';
import { LambdaStream } from '../support/event-stream.ts';
import { anEvent, recordingTelemetry } from '../support/http.ts';
import { readProjectFile } from '../support/source-tree.ts';
import { VirtualClock } from '../support/virtual-clock.ts';

jest.setTimeout(120_000);

const STREAMS_PER_HOUR = 3_600 / EVENT_STREAM_SECONDS;
const CONTEXT = { getRemainingTimeInMillis: () => 330_000 };
const DAY_MS = 86_400_000;

describe('reads of an hour of one event stream', () => {
  let dynamo: DynamoEmulator;

  beforeAll(async () => {
    dynamo = await startDynamo();
  });

  afterAll(async () => {
    await dynamo.stop();
  });

  it.each<{ name: string; job: Partial<Job>; news: boolean; reads: number }>([
    { name: 'has news at every look', job: { status: 'running' }, news: true, reads: 7_212 },
    { name: 'works in silence', job: { status: 'running' }, news: false, reads: 1_836 },
    {
      name: 'waits for a signal',
      job: { status: 'waiting', waitingFor: 'signal' },
      news: false,
      reads: 780,
    },
    {
      name: 'sleeps for a day',
      job: { status: 'waiting', waitingFor: 'sleep', wakeAt: NOON + DAY_MS },
      news: false,
      reads: 336,
    },
  ])('are $reads of a job that $name, as documented', async ({ name, job, news, reads }) => {
    const { counted, store } = await aStore();
    await store.createJob(aJob({ jobId: JOB_ID, epoch: 1, ...job }));
    counted.splice(0);

    await followForOneStream(store, { news });

    const operations = counted.map(({ operation }) => operation).filter((one) => one !== 'PutItem');
    expect(operations[0]).toBe('GetItem');
    expect(new Set(operations.slice(1))).toEqual(new Set(['Query']));
    expect(operations.length * STREAMS_PER_HOUR).toBe(reads);
    expect(readProjectFile('docs/api.md')).toMatch(
      new RegExp(`\\| ${name} +\\| +${reads.toLocaleString('en')} \\|`),
    );
  });

  const JOB_ID = `job_${'0'.repeat(26)}`;

  async function aStore() {
    const counted: CountedRequest[] = [];
    const client = dynamo.connect();
    countTableRequests(client, dynamo.client, counted);
    const name = await dynamo.createTable();
    const clock = { now: () => NOON };
    return { counted, store: dynamoJobStore({ client: documentClient(client), name, clock }) };
  }

  async function followForOneStream(
    jobs: ReturnType<typeof dynamoJobStore>,
    { news }: { news: boolean },
  ): Promise<void> {
    const clock = new VirtualClock(NOON);
    const stream = new LambdaStream();
    const withHead = (to: unknown, head: LambdaStream['head']) =>
      Object.assign(to as object, { head });
    const handler = streamedHandler(
      { telemetry: recordingTelemetry(), clock, withHead: withHead as never, origins: [] },
      eventsRoute({ jobs, clock }),
    );
    const event = anEvent({
      method: 'GET',
      resource: '/jobs/{jobId}/events',
      pathParameters: { jobId: JOB_ID },
    });
    const open = { stream: true };
    void handler(event, stream, CONTEXT).finally(() => (open.stream = false));
    for (let seq = 1; open.stream;) {
      // A timer is set only once the look before it has been answered.
      if (!clock.hasTimer) await turn();
      else {
        if (news) await jobs.appendPage(aPage({ jobId: JOB_ID, seq: seq++ }));
        clock.fireNext();
      }
    }
    expect(clock.now()).toBe(NOON + EVENT_STREAM_SECONDS * 1_000);
  }
});
