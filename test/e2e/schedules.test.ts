import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type ScheduleRepresentation, scheduleSchema } from '../../src/protocol/schedule.ts';
import { ApiClient, type ApiRequest, type ApiResponse, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startTarget, type Target } from '../support/target.ts';

jest.setTimeout(180_000);

const NIGHTLY = {
  expression: 'cron(0 2 * * ? *)',
  timezone: 'Europe/Berlin',
  agent: 'echo',
  input: { value: 'night' },
};

const CONFIGURED = { ...NIGHTLY, tenant: 'acme', name: 'deployed' };

let target: Target;
let api: ApiClient;

beforeAll(async () => {
  target = await startTarget([`longhaul:schedules=${JSON.stringify([CONFIGURED])}`]);
  api = new ApiClient(target);
});

afterAll(async () => {
  await target.stop();
});

const put = (name: string, body: unknown, request: ApiRequest = {}): Promise<ApiResponse> =>
  api.send(`/schedules/${name}`, { method: 'PUT', body, ...request });
const act = (name: string, command: string) =>
  api.send(`/schedules/${name}/${command}`, { method: 'POST' });

function scheduleOf(response: ApiResponse, status = 200): ScheduleRepresentation {
  expect({ status: response.status, text: response.text }).toMatchObject({ status });
  return scheduleSchema.strict().parse(JSON.parse(response.text));
}

const get = async (name: string) => scheduleOf(await api.send(`/schedules/${name}`));

describe('a schedule', () => {
  it('is made, shown with its next run, listed without its input, and deleted', async () => {
    const made = scheduleOf(await put('life', NIGHTLY), 201);
    expect(made).toMatchObject({ ...NIGHTLY, name: 'life', origin: 'api', state: 'active' });
    expect(Date.parse(made.nextRunAt ?? '')).toBeGreaterThan(Date.now());
    expect(await get('life')).toEqual(made);

    const list = JSON.parse((await api.send('/schedules')).text) as {
      schedules: ScheduleRepresentation[];
    };
    const { input: _, ...row } = made;
    expect(list.schedules.filter(({ name }) => name === 'life')).toEqual([row]);

    expect((await api.send('/schedules/life', { method: 'DELETE' })).status).toBe(204);
    expect(problemOf(await api.send('/schedules/life')).code).toBe('not_found');
    const again = await api.send('/schedules/life', { method: 'DELETE' });
    expect(problemOf(again).code).toBe('not_found');
  });

  it('that is sent again stays as it is', async () => {
    const made = scheduleOf(await put('again', NIGHTLY), 201);
    expect(scheduleOf(await put('again', NIGHTLY))).toEqual(made);
  });

  it('is paused and resumed, also twice', async () => {
    await put('held', NIGHTLY);
    for (const _ of [1, 2]) {
      const held = scheduleOf(await act('held', 'pause'));
      expect(held.state).toBe('paused');
      expect(held.nextRunAt).toBeUndefined();
    }
    // A change does not start it again.
    const changed = scheduleOf(await put('held', { ...NIGHTLY, timezone: 'UTC' }));
    expect(changed.state).toBe('paused');
    for (const _ of [1, 2]) {
      expect(scheduleOf(await act('held', 'resume')).state).toBe('active');
    }
  });

  it.each([
    { name: 'a bad expression', fields: { expression: 'cron(0 9 * * * *)' }, at: '/expression' },
    { name: 'seconds', fields: { expression: 'rate(30 seconds)' }, at: '/expression' },
    {
      name: 'no run that is left',
      fields: { expression: 'cron(0 0 1 1 ? 2001)' },
      at: '/expression',
    },
    { name: 'an unknown zone', fields: { timezone: 'Mars/Olympus' }, at: '/timezone' },
    { name: 'a past end', fields: { endAt: '2020-01-01T00:00:00Z' }, at: '/endAt' },
    { name: 'an unknown agent', fields: { agent: 'nobody' }, at: '/agent' },
    {
      name: 'input its agent refuses',
      fields: { agent: 'five-steps', input: { stepMs: 'x' } },
      at: '/input/stepMs',
    },
  ])('with $name is refused with 422 and a pointer', async ({ fields, at }) => {
    const problem = problemOf(await put('bad', { ...NIGHTLY, ...fields }));
    expect(problem.status).toBe(422);
    expect(problem.errors?.map(({ pointer }) => pointer)).toContain(at);
    expect(problemOf(await api.send('/schedules/bad')).code).toBe('not_found');
  });

  it('above 8 KB is refused with 413 and what to do', async () => {
    const problem = problemOf(
      await put('big', { ...NIGHTLY, input: { value: 'x'.repeat(9_000) } }),
    );
    expect(problem).toMatchObject({ code: 'payload_too_large', limit: { maximum: 8_192 } });
  });

  it('of another tenant is not there', async () => {
    await put('private', NIGHTLY);
    const key = target.keys.globex;
    expect(problemOf(await api.send('/schedules/private', { key })).code).toBe('not_found');
    const removed = await api.send('/schedules/private', { key, method: 'DELETE' });
    expect(problemOf(removed).code).toBe('not_found');
    expect((await api.send('/schedules', { key })).text).not.toContain('private');
    expect((await get('private')).state).toBe('active');
  });
});

describeLocal('a firing', 'only here can a test fire a schedule, twice or late', () => {
  const AT = '2030-01-31T01:00:00Z';
  const SCHEDULED = '2030-01-31T01:00:00.000Z';
  let local: LocalTarget;

  beforeAll(() => {
    local = target as LocalTarget;
  });

  const triggerOf = async (name: string) =>
    (await local.control.triggers()).find(({ Key }) => Key.includes(`/acme.${name}.`));

  /** Jobs that a schedule has submitted. */
  async function jobsOf(name: string) {
    const jobs = await api.list('limit=100');
    return jobs.filter(({ metadata }) => metadata?.['schedule'] === name);
  }

  it('submits a job, and a double one the same', async () => {
    await put('twice', NIGHTLY);
    await Promise.all([
      local.control.fire('acme.twice.', AT),
      local.control.fire('acme.twice.', AT),
    ]);
    await local.control.fire('acme.twice.', AT);

    const jobs = await jobsOf('twice');
    expect(jobs).toHaveLength(1);
    const [job] = jobs;
    expect(job?.metadata).toEqual({ schedule: 'twice', scheduledAt: SCHEDULED });
    expect(await api.finalJob(job?.jobId ?? '')).toMatchObject({ status: 'succeeded' });
    const { lastRun } = await get('twice');
    expect(lastRun).toMatchObject({ scheduledAt: SCHEDULED, jobId: job?.jobId });

    await local.control.fire('acme.twice.', '2030-02-01T01:00:00Z');
    expect(await jobsOf('twice')).toHaveLength(2);
  });

  it('does nothing while the schedule is paused', async () => {
    await put('still', NIGHTLY);
    await act('still', 'pause');
    expect((await triggerOf('still'))?.State).toBe('DISABLED');
    await local.control.fire('acme.still.', AT);
    expect(await jobsOf('still')).toEqual([]);
  });

  it('of an older revision does nothing, and puts the trigger right', async () => {
    await put('changed', NIGHTLY);
    const old = await triggerOf('changed');
    await put('changed', { ...NIGHTLY, expression: 'rate(2 hours)' });
    const event = JSON.parse(old?.Target.Input ?? '') as object;
    await local.control.invoke('schedules', { ...event, scheduledAt: AT });
    expect(await jobsOf('changed')).toEqual([]);
    expect((await triggerOf('changed'))?.ScheduleExpression).toBe('rate(2 hours)');
  });

  it('of a schedule of the configuration submits its job, and no request changes it', async () => {
    const shown = await get('deployed');
    expect(shown).toMatchObject({ ...NIGHTLY, origin: 'config', state: 'active' });
    const event = { tenantId: 'acme', schedule: 'deployed', scheduledAt: AT };
    await local.control.invoke('schedules', event);
    await local.control.invoke('schedules', event);
    expect(await jobsOf('deployed')).toHaveLength(1);
    expect((await get('deployed')).lastRun).toMatchObject({ scheduledAt: SCHEDULED });

    const refused = [
      await put('deployed', NIGHTLY),
      await act('deployed', 'pause'),
      await api.send('/schedules/deployed', { method: 'DELETE' }),
    ];
    expect(refused.map((response) => problemOf(response).code)).toEqual(
      refused.map(() => 'conflict'),
    );
    expect((await api.send('/schedules', { key: target.keys.globex })).text).not.toContain(
      'deployed',
    );
  });

  it('of a schedule that is gone does nothing', async () => {
    await put('gone', NIGHTLY);
    const old = await triggerOf('gone');
    await api.send('/schedules/gone', { method: 'DELETE' });
    expect(await triggerOf('gone')).toBeUndefined();
    const event = JSON.parse(old?.Target.Input ?? '') as object;
    await local.control.invoke('schedules', { ...event, scheduledAt: AT });
    expect(await jobsOf('gone')).toEqual([]);
  });

  it('whose agent the tenant has lost notes why there is no job', async () => {
    await put('lost', NIGHTLY);
    await local.tenants.update('acme', { allowedAgents: ['five-steps'] }, Date.now());
    await local.control.fire('acme.lost.', AT);
    await local.tenants.update('acme', { allowedAgents: null }, Date.now());
    expect(await jobsOf('lost')).toEqual([]);
    const { lastRun } = await get('lost');
    expect(lastRun).toMatchObject({
      scheduledAt: SCHEDULED,
      problem: { code: 'agent_not_allowed' },
    });
  });

  it('whose function dies at any of its requests makes one job when it is tried again', async () => {
    await put('dies', NIGHTLY);
    await local.control.resetCalls('schedules');
    await local.control.fire('acme.dies.', '2030-03-01T01:00:00Z');
    const { length } = await local.control.calls('schedules');
    for (let call = 1; call <= length; call += 1) {
      for (const when of ['before', 'after'] as const) {
        const at = new Date(Date.parse(AT) + (call * 2 + Number(when === 'after')) * 60_000);
        const before = (await jobsOf('dies')).length;
        await local.control.crashAt('schedules', call, when);
        await local.control.fire('acme.dies.', at.toISOString());
        await local.control.fire('acme.dies.', at.toISOString());
        expect(await jobsOf('dies')).toHaveLength(before + 1);
      }
    }
  });

  it('comes although the request died between schedule and trigger, once it is sent again', async () => {
    // find, count, put, CreateSchedule, confirm, behind the count of requests.
    await local.control.resetCalls('schedules');
    scheduleOf(await put('heals-first', NIGHTLY), 201);
    const calls = await local.control.calls('schedules');
    const create = calls.findIndex((call) => call.startsWith('scheduler:POST')) + 1;
    expect(create).toBeGreaterThan(1);
    await local.control.crashAt('schedules', create, 'before');
    const died = await put('heals', NIGHTLY);
    expect(died.status).toBeGreaterThanOrEqual(500);
    expect(await triggerOf('heals')).toBeUndefined();
    expect((await get('heals')).state).toBe('pending');

    expect(scheduleOf(await put('heals', NIGHTLY)).state).toBe('active');
    expect((await triggerOf('heals'))?.State).toBe('ENABLED');
  });
});
