import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { uploadSchema } from '../../src/protocol/upload.ts';
import { ApiClient, jobOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';
import { privileges } from '../template/privileges.ts';
import { synthesize } from '../template/synthesize.ts';

jest.setTimeout(240_000);

const FUNCTIONS = {
  submit: 'Longhaul/Submit',
  api: 'Longhaul/Api',
  events: 'Longhaul/Events',
  schedules: 'Longhaul/Schedules/Function',
  authorizer: 'Longhaul/Authorizer',
  worker: 'Longhaul/Worker/Function',
  sweeper: 'Longhaul/Sweeper/Function',
  notifier: 'Longhaul/Notifier/Function',
};
const S3_ACTIONS: Record<string, string> = {
  's3:PUT': 's3:PutObject',
  's3:GET': 's3:GetObject',
  's3:HEAD': 's3:GetObject',
};

const SCHEDULER_ACTIONS: Record<string, string> = {
  'scheduler:POST': 'scheduler:CreateSchedule',
  'scheduler:PUT': 'scheduler:UpdateSchedule',
  'scheduler:DELETE': 'scheduler:DeleteSchedule',
};

/** What the platform does in the name of a function: its logs and traces, the messages that invoke it, the role it hands over. */
const OTHERS =
  /^(?:logs:|xray:|iam:PassRole|sqs:(?:ReceiveMessage|DeleteMessage|GetQueueAttributes) on (?:Queue\/(?:Jobs|Isolation)|Notifications\/Pending)$)/;

/** Rights whose use this test does not bring about, with the reason that they are needed. */
const NEVER_HERE: Partial<Record<keyof typeof FUNCTIONS, Readonly<Record<string, string>>>> = {
  submit: {
    'dynamodb:DeleteItem on IdempotencyTable/Table':
      'Powertools takes back the key of work that threw',
    's3:GetObject on Payloads/Bucket/tenants/*/jobs/*/g*/result-*':
      'for the address of a result that a caller waited for: S3 asks what its signer may do',
  },
  api: {
    'dynamodb:DeleteItem on IdempotencyTable/Table':
      'Powertools takes back the key of work that threw',
    's3:GetObject on Payloads/Bucket/*': 'for the addresses of results that it signs',
    's3:PutObject on Payloads/Bucket/uploads/*': 'for the addresses of uploads that it signs',
  },
  events: {
    'dynamodb:UpdateItem on JobTable/Table': 'counts requests of tenants that have a rate',
  },
  worker: {
    'sqs:ChangeMessageVisibility on Queue/Isolation': 'gives back a message that is no hint',
    'sqs:ChangeMessageVisibility on Queue/Jobs': 'gives back a message that is no hint',
  },
  sweeper: {
    'dynamodb:PutItem on JobTable/Table': 'tells parents what a job owed them whose worker died',
    'sqs:ChangeMessageVisibility on Queue/DeadLetters': 'tidies the queue after a restart',
    'sqs:DeleteMessage on Queue/DeadLetters': 'tidies the queue after a restart',
    'sqs:ReceiveMessage on Queue/DeadLetters': 'tidies the queue after a restart',
  },
};

/** IAM knows no action for a batch. */
const QUEUE_ACTIONS: Record<string, string> = {
  'sqs:SendMessageBatch': 'sqs:SendMessage',
  'sqs:DeleteMessageBatch': 'sqs:DeleteMessage',
  'sqs:ChangeMessageVisibilityBatch': 'sqs:ChangeMessageVisibility',
};

/** Whether `action on resource` covers a request; one to S3 is named by its method, and says which object. */
function allows(right: string, call: string): boolean {
  const [action = '', resource = ''] = right.split(' on ');
  const [operation = '', path] = call.split(' ');
  if (path === undefined) return action === (QUEUE_ACTIONS[operation] ?? operation);
  if (operation in SCHEDULER_ACTIONS) return action === SCHEDULER_ACTIONS[operation];
  const [, pattern = ''] = /^Payloads\/Bucket\/(.*)$/.exec(resource) ?? [];
  const key = path.split('/').slice(2).join('/');
  return action === S3_ACTIONS[operation] && covers(pattern).test(key);
}

/** A `*` of IAM stands for slashes, too. */
function covers(pattern: string): RegExp {
  return new RegExp(`^${pattern.replaceAll('*', '.*')}$`);
}

// The emulators grant everything: what a role lacks would show on AWS only.
describeLocal('roles', 'only here are the requests of a function counted', () => {
  let target: LocalTarget;
  let api: ApiClient;

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    for (const name of Object.keys(FUNCTIONS)) await target.control.resetCalls(name);
    await work();
  });

  afterAll(async () => {
    await target.stop();
  });

  /** Payloads of each size, every command, sub-jobs, a dead letter, jobs taken back from a dead worker. */
  async function work(): Promise<void> {
    const withKey = { headers: { 'idempotency-key': 'k' } };
    await api.submit('echo', { value: 'x'.repeat(10_000) }, withKey);
    await submitUpload(JSON.stringify({ value: 'x'.repeat(10_000) }));
    const large = await api.run('grow', { bytes: 100_000 });
    jobOf(await api.command(large.jobId, 'fork', { fromStep: 'grow' }, withKey), 202);
    await api.send('/jobs?limit=1');
    const jobs = [{ agent: 'echo', input: { value: 1 } }];
    await api.send('/jobs/batch', { method: 'POST', body: { jobs } });
    await api.post({ agent: 'grow', input: { bytes: 9_000 } }, { headers: { prefer: 'wait=20' } });
    // Nobody listens there.
    const notify = { url: 'http://127.0.0.1:9/' };
    const { jobId: asking } = jobOf(await api.post({ agent: 'ask', input: {}, notify }), 202);
    await api.jobWhen(asking, ({ waitingFor }) => waitingFor?.reason === 'signal');
    expect((await api.send(`/jobs/${asking}/deliveries`)).status).toBe(200);
    await api.order(asking, 'pause');
    await api.order(asking, 'resume');
    await api.order(asking, 'signals/answer', { text: 'x'.repeat(20_000) });
    await api.finalJob(asking);
    const resend = await api.command(asking, `deliveries/msg_${'0'.repeat(26)}/resend`);
    expect(resend.status).toBe(404);
    const { jobId: failed } = await api.run('stubborn', {});
    await api.order(failed, 'retry', { hint: 'please' });
    await redriveDeadLetter();
    const parent = await api.submit('family', { agent: 'nap', inputs: [{ ms: 3_600_000 }] });
    await api.jobWhen(parent, ({ waitingFor }) => waitingFor?.reason === 'children');
    await api.order(parent, 'cancel');
    await api.finalJob(parent);
    await keepSchedules();
    const dying = await api.run('deadly', { how: 'exit', times: 1 });
    expect(dying.status).toBe('succeeded');
    expect((await api.send(`/jobs/${dying.jobId}/events`)).status).toBe(200);
  }

  async function keepSchedules(): Promise<void> {
    const body = { expression: 'rate(1 hour)', agent: 'echo', input: { value: 'x'.repeat(5_000) } };
    const put = { method: 'PUT', body };
    expect((await api.send('/schedules/hourly', put)).status).toBe(201);
    await target.control.fire('acme.hourly.', '2030-01-01T00:00:00Z');
    expect((await api.send('/schedules/hourly/pause', { method: 'POST' })).status).toBe(200);
    expect((await api.send('/schedules')).status).toBe(200);
    expect((await api.send('/schedules/hourly', { method: 'DELETE' })).status).toBe(204);
  }

  /** And a message that stays in the queue. */
  async function redriveDeadLetter(): Promise<void> {
    const { ops: key } = target.keys;
    await target.queues.sendToDeadLetters('no letter');
    const { jobId } = await api.run('stubborn', { letter: true });
    expect((await api.send('/dead-letters?limit=1', { key })).status).toBe(200);
    expect((await api.send(`/dead-letters/${jobId}`, { key })).status).toBe(200);
    expect((await api.send('/stalled-jobs', { key })).status).toBe(200);
    const body = { jobIds: [jobId], hint: 'please' };
    const redriven = await api.send('/dead-letters/redrive', { method: 'POST', key, body });
    expect(redriven.status).toBe(200);
    expect((await api.finalJob(jobId)).status).toBe('succeeded');
  }

  async function submitUpload(json: string): Promise<void> {
    const facts = {
      sizeBytes: Buffer.byteLength(json),
      sha256: createHash('sha256').update(json).digest('hex'),
    };
    const answer = await api.send('/uploads', { method: 'POST', body: facts });
    const { url, headers, inputRef } = uploadSchema.parse(JSON.parse(answer.text));
    await fetch(url, { method: 'PUT', headers, body: json });
    jobOf(await api.post({ agent: 'echo', inputRef }), 202);
  }

  it.each(Object.entries(FUNCTIONS))(
    '%s makes no request that its role does not allow',
    async (name, path) => {
      const granted = privileges(synthesize().template)[path] ?? [];

      const calls = [...new Set(await target.control.calls(name))];

      expect(calls.length).toBeGreaterThan(0);
      expect(calls.filter((call) => !granted.some((right) => allows(right, call)))).toEqual([]);
    },
  );

  it.each(Object.entries(FUNCTIONS))('%s may do nothing that it never does', async (name, path) => {
    const calls = await target.control.calls(name);

    const unused = (privileges(synthesize().template)[path] ?? []).filter(
      (right) => !OTHERS.test(right) && !calls.some((call) => allows(right, call)),
    );

    const known = Object.keys(NEVER_HERE[name as keyof typeof FUNCTIONS] ?? {});
    expect(unused.filter((right) => !known.includes(right))).toEqual([]);
  });
});
