import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, it, jest } from '@jest/globals';
import { runCommand } from '../../cli/run-command.ts';
import { deliveriesSchema } from '../../src/protocol/delivery.ts';
import { ApiClient, problemOf } from '../support/api-client.ts';
import { aJob } from '../support/builders.ts';
import type { AlarmReport } from '../support/local-control.ts';
import { linesOfQuery, type QueryName } from '../support/saved-query.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

jest.setTimeout(240_000);

const CONTEXT = [
  'longhaul:alarms.deadLettersPerFiveMinutes=1',
  'longhaul:alarms.oldestMessageSeconds=1',
  'longhaul:alarms.endToEndSeconds=1',
  'longhaul:alarms.apiServerErrorsPerFiveMinutes=0',
  'longhaul:webhooks.giveUpHours=1',
  'longhaul:worker.memoryMb=256',
];
const WITHIN_MS = 120_000;
const TENANT = 'initech';

/** What follows an alarm: the cause is found as its section of the runbook says, mended, and the job ends right. */
type Mend = () => Promise<void>;

interface Rehearsal {
  /** Brings about what the alarm is for. */
  readonly provoke: () => Promise<Mend>;
  /** Whether the alarm is over as soon as it is mended, and not only at the end of its period. */
  readonly endsAtOnce?: boolean;
}

/** Alarms whose condition the local cloud cannot bring about. */
const NOT_REHEARSED: Readonly<Record<string, string>> = {
  WorkerRecursionDropped:
    'only AWS counts the hops of a chain of calls, and drops a message for it',
};

const runbook = readFileSync('docs/runbook.md', 'utf8');

let target: LocalTarget;
let api: ApiClient;
let receiver: WebhookReceiver;
/** Where the log ended when the present rehearsal began. */
let logStart = 0;

const newLines = async () => (await target.functionLog()).slice(logStart);

/** What a saved query finds that the section of an alarm names. */
async function find(alarm: string, query: QueryName, values: Record<string, string> = {}) {
  const [section = ''] = runbook.split(/^## /m).filter((text) => text.startsWith(`${alarm}\n`));
  expect(section).toContain(query);
  return waitFor(`what ${query} finds`, async () => {
    const found = linesOfQuery(await newLines(), query, values);
    return found.length > 0 && found.join('\n');
  });
}

async function waitFor<Value>(
  what: string,
  look: () => Promise<Value | false | undefined>,
): Promise<Value> {
  for (const deadline = Date.now() + WITHIN_MS; ;) {
    const seen = await look();
    if (seen !== false && seen !== undefined) return seen;
    if (Date.now() > deadline) throw new Error(`waited ${WITHIN_MS} ms in vain for ${what}`);
    await delay(100);
  }
}

const untilAlarm = (name: string, is: (alarm: AlarmReport) => boolean) =>
  waitFor(`alarm ${name}`, async () => {
    const alarm = await target.control.alarm(name);
    return is(alarm) && alarm;
  });

/** In alarm, or in the first of the periods that it takes. */
const hasGoneOff = ({ state, periods }: AlarmReport): boolean =>
  periods === undefined || periods.needed === 1 ? state === 'ALARM' : periods.breaching > 0;

async function succeeds(jobId: string): Promise<void> {
  const job = await api.finalJob(jobId, { withinMs: WITHIN_MS });
  expect(job).toMatchObject({ status: 'succeeded' });
}

/** What an operator types. */
async function longhaul(...args: string[]): Promise<string[]> {
  const out: string[] = [];
  const code = await runCommand(args, {
    out: (line) => out.push(line),
    note: () => undefined,
    env: { LONGHAUL_URL: target.apiUrl, LONGHAUL_KEY: target.keys.operator },
  });
  expect({ args, code }).toEqual({ args, code: 0 });
  return out;
}

/** Jobs that are given up, since nobody says please. */
async function givenUp(count: number): Promise<string[]> {
  const jobIds = await Promise.all(
    Array.from({ length: count }, () => api.submit('stubborn', { letter: true })),
  );
  for (const jobId of jobIds) {
    expect(await api.finalJob(jobId)).toMatchObject({ status: 'failed', deadLettered: true });
  }
  return jobIds;
}

/** A job that was written into the table minutes ago, and that no message tells of. */
async function forgottenJob(agent: string): Promise<string> {
  const createdAt = Date.now() - 600_000;
  const jobId = `job_${randomBytes(13).toString('hex')}`;
  const input = { kind: 'inline' as const, json: '{"value":1}' };
  const times = { createdAt, dueAt: createdAt + 30_000 };
  await target.jobs.createJob(aJob({ jobId, tenantId: TENANT, agent, input, ...times }));
  return jobId;
}

/** The one delivery of a job, once somebody has tried it. */
const triedDelivery = (jobId: string) =>
  waitFor(`a delivery of ${jobId}`, async () => {
    const [delivery] = await target.jobs.listDeliveries(jobId);
    return delivery !== undefined && delivery.failedTries > 0 && delivery;
  });

/** Moves its first try into the past: the next one is the last. */
async function age(jobId: string): Promise<void> {
  await waitFor(`a delivery of ${jobId} that nobody tries just then`, async () => {
    const seen = await triedDelivery(jobId);
    const now = Date.now();
    const older = { ...seen, triedSince: now - 7_200_000, nextTryAt: now, dueAt: now };
    return target.jobs.replaceDelivery(older, seen);
  });
}

const REHEARSALS: Readonly<Record<string, Rehearsal>> = {
  DeadLetterQueueNotEmpty: {
    provoke: async () => {
      const [jobId = ''] = await givenUp(1);
      return async () => {
        const [line = ''] = await longhaul('dead-letters', '--agent', 'stubborn', '--json');
        expect(JSON.parse(line)).toMatchObject({ jobId, code: 'step_failed', step: 'deliver' });
        expect(await find('DeadLettersGrowing', 'JobHistory', { JOB_ID: jobId })).toContain(
          'no please',
        );
        await longhaul('redrive', jobId, '--hint', 'please');
        await succeeds(jobId);
      };
    },
    endsAtOnce: true,
  },
  DeadLettersGrowing: {
    provoke: async () => {
      const jobIds = await givenUp(2);
      return async () => {
        expect(await find('DeadLettersGrowing', 'FailuresByError')).toContain('no please');
        await longhaul('redrive', '--all', '--agent', 'stubborn', '--hint', 'please');
        for (const jobId of jobIds) await succeeds(jobId);
      };
    },
  },
  UndeliveredQueueNotEmpty: {
    provoke: async () => {
      receiver.answer = (response) => response.writeHead(503).end();
      const notify = { url: receiver.url };
      const sent = await api.post({ agent: 'echo', input: { value: 1 }, notify });
      const { jobId } = JSON.parse(sent.text) as { jobId: string };
      await succeeds(jobId);
      await age(jobId);
      return async () => {
        const [letter] = await target.queues.undelivered();
        expect(JSON.parse(letter?.body ?? '')).toMatchObject({ jobId, lastStatus: 503 });
        receiver.answer = (response) => response.writeHead(204).end();
        const path = `/jobs/${jobId}/deliveries`;
        const list = deliveriesSchema.parse(JSON.parse((await api.send(path)).text));
        const [delivery] = list.deliveries;
        expect(delivery).toMatchObject({ status: 'failed' });
        await longhaul('resend', jobId, delivery?.deliveryId ?? '');
        await waitFor('the webhook', async () => {
          const [now] = await target.jobs.listDeliveries(jobId);
          return now?.status === 'delivered';
        });
        await letter?.delete();
      };
    },
    endsAtOnce: true,
  },
  OldestMessageTooOld: {
    provoke: async () => {
      await target.control.pauseQueues();
      const jobId = await api.submit('echo', { value: 1 });
      return async () => {
        await target.control.resumeQueues();
        await succeeds(jobId);
      };
    },
    endsAtOnce: true,
  },
  JobsOverdue: {
    provoke: async () => {
      const jobId = await forgottenJob('echo');
      return async () => {
        expect(await find('JobsOverdue', 'SweeperFinds')).toContain(jobId);
        await succeeds(jobId);
      };
    },
  },
  SweeperSilent: {
    provoke: async () => {
      const { control } = target;
      await control.reserveConcurrency('sweeper', 0);
      await control.crashAll('sweeper');
      // Five minutes without a look are as if none had ever been.
      await control.forgetMetrics();
      const jobId = await forgottenJob('echo');
      return async () => {
        expect((await api.job(jobId)).status).toBe('queued');
        await control.reserveConcurrency('sweeper', null);
        await control.start('sweeper');
        await succeeds(jobId);
      };
    },
    endsAtOnce: true,
  },
  EndToEndSlow: {
    provoke: async () => {
      const jobId = await api.submit('nap', { ms: 1_500 });
      await succeeds(jobId);
      return async () => {
        const trace = await api.trace(jobId);
        expect(trace.map(({ type }) => type)).toContain('sleep.started');
      };
    },
  },
  EnqueueFailed: {
    provoke: async () => {
      await target.control.refuse('submit', { service: 'sqs', times: 10 });
      const jobId = await api.submit('echo', { value: 1 });
      return async () => {
        const line = await find('EnqueueFailed', 'RecentErrors');
        expect(line).toContain('the queue refused the hint');
        expect(line).toContain(jobId);
        await target.control.refuseNoMore();
        await succeeds(jobId);
      };
    },
  },
  WorkerErrors: {
    provoke: async () => {
      const jobId = await api.submit('deadly', { how: 'exit', times: 1 });
      return async () => {
        expect(await find('WorkerErrors', 'DeadWorkers')).toContain('Runtime exited');
        await succeeds(jobId);
        const attempts = (await api.trace(jobId)).filter(({ type }) => type === 'attempt.started');
        expect(attempts).toMatchObject([{ crashes: 1 }]);
      };
    },
  },
  WorkerThrottled: {
    provoke: async () => {
      await target.control.reserveConcurrency('worker', 0);
      const jobId = await api.submit('echo', { value: 1 });
      return async () => {
        expect((await api.job(jobId)).status).toBe('queued');
        await target.control.reserveConcurrency('worker', null);
        await succeeds(jobId);
      };
    },
  },
  WorkerOutOfMemory: {
    provoke: async () => {
      const jobId = await api.submit('deadly', { how: 'oom', times: 1 });
      return async () => {
        expect(await find('WorkerErrors', 'DeadWorkers')).toContain('signal: killed');
        await succeeds(jobId);
      };
    },
  },
  AgentMissing: {
    provoke: async () => {
      const jobId = await forgottenJob('departed');
      return async () => {
        const line = await find('AgentMissing', 'RecentErrors');
        expect(line).toContain(jobId);
        expect(line).toContain('departed');
        const [stalled = ''] = await longhaul('stalled', '--agent', 'departed');
        expect(stalled).toContain(`${jobId}  waiting  agent_unavailable`);
        await api.order(jobId, 'cancel');
        expect(await api.finalJob(jobId)).toMatchObject({ status: 'cancelled' });
      };
    },
  },
  ScheduleRunsFailed: {
    provoke: async () => {
      const schedule = { expression: 'rate(1 day)', agent: 'echo', input: { value: 1 } };
      const put = () => api.send('/schedules/daily', { method: 'PUT', body: schedule });
      expect((await put()).status).toBe(201);
      await target.tenants.update(TENANT, { allowedAgents: ['nap'] }, Date.now());
      await target.control.fire(`${TENANT}.daily.`, '2030-01-31T01:00:00Z');
      return async () => {
        const line = await find('ScheduleRunsFailed', 'RecentErrors');
        expect(line).toContain('agent_not_allowed');
        const { text } = await api.send('/schedules/daily');
        expect(JSON.parse(text)).toMatchObject({
          lastRun: { problem: { code: 'agent_not_allowed' } },
        });
        await target.tenants.update(TENANT, { allowedAgents: null }, Date.now());
        await target.control.fire(`${TENANT}.daily.`, '2030-02-01T01:00:00Z');
        const [job] = await api.list('agent=echo&limit=1');
        expect(job?.metadata).toMatchObject({ schedule: 'daily' });
        await succeeds(job?.jobId ?? '');
        expect((await api.send('/schedules/daily', { method: 'DELETE' })).status).toBe(204);
      };
    },
  },
  ApiServerErrors: {
    provoke: async () => {
      const jobId = await api.submit('echo', { value: 1 });
      const reads = { service: 'dynamodb', operation: 'GetItem', times: 100 };
      await target.control.refuse('api', reads);
      const refused = problemOf(await api.send(`/jobs/${jobId}`));
      expect(refused.status).toBe(503);
      return async () => {
        expect(await find('ApiServerErrors', 'ApiFailures')).toContain(refused.requestId);
        await target.control.refuseNoMore();
        await succeeds(jobId);
      };
    },
  },
  TableThrottled: {
    provoke: async () => {
      const writes = { service: 'dynamodb', operation: 'PutItem', times: 2 };
      await target.control.refuse('worker', writes);
      const jobId = await api.submit('echo', { value: 1 });
      return () => succeeds(jobId);
    },
  },
  Deploying: {
    provoke: async () => {
      await target.control.start('sweeper');
      return () => Promise.resolve();
    },
  },
  AnyAlarm: {
    provoke: async () => {
      await target.control.start('sweeper');
      await untilAlarm('Deploying', hasGoneOff);
      await target.queues.sendToDeadLetters('no letter');
      return async () => {
        // Whom nobody wakes: this deployment is minutes old.
        const { because, tells } = await target.control.alarm('AnyAlarm');
        expect(because).toContain('DeadLetterQueueNotEmpty');
        expect(tells).toBe(false);
        expect(await target.queues.deadLetters('no letter')).toEqual(['no letter']);
        await untilAlarm('DeadLetterQueueNotEmpty', ({ state }) => state === 'OK');
      };
    },
  },
};

describeLocal('every alarm', 'only here can a test bring the conditions about', () => {
  beforeAll(async () => {
    [target, receiver] = await Promise.all([startLocalTarget(CONTEXT), WebhookReceiver.start()]);
    api = new ApiClient(target, target.keys.operator);
    await api.run('echo', { value: 'warm' });
  });

  afterAll(async () => {
    await target.stop();
    await receiver.stop();
  });

  afterEach(async () => {
    const { control } = target;
    await control.refuseNoMore();
    await control.resumeQueues();
    for (const name of ['worker', 'sweeper']) await control.reserveConcurrency(name, null);
  });

  it('of the template is rehearsed here, or it is said why not', async () => {
    const names = (await target.control.alarms()).map(({ name }) => name);

    expect([...Object.keys(REHEARSALS), ...Object.keys(NOT_REHEARSED)].sort()).toEqual(
      names.sort(),
    );
  });

  it.each(Object.keys(REHEARSALS))('%s goes off, and the runbook leads out of it', async (name) => {
    const { provoke, endsAtOnce = false } = REHEARSALS[name] as Rehearsal;
    logStart = (await target.functionLog()).length;
    await target.control.forgetMetrics();
    await untilAlarm(name, (alarm) => !hasGoneOff(alarm) || name === 'AnyAlarm');

    const mend = await provoke();
    const alarm = await untilAlarm(name, hasGoneOff);
    if (alarm.state === 'ALARM' && !['AnyAlarm', 'Deploying'].includes(name)) {
      expect((await target.control.alarm('AnyAlarm')).because).toContain(name);
    }

    await mend();
    if (endsAtOnce) await untilAlarm(name, ({ state }) => state === 'OK');
  });
});
