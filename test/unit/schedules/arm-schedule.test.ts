import { describe, expect, it } from '@jest/globals';
import { memoryScheduleStore } from '../../../src/adapters/memory/schedule-store.ts';
import { MemoryScheduleTrigger } from '../../../src/adapters/memory/schedule-trigger.ts';
import { armSchedule } from '../../../src/core/schedules/arm-schedule.ts';
import {
  decideFiring,
  type DueRun,
  fireSchedule,
} from '../../../src/core/schedules/fire-schedule.ts';
import { putSchedule } from '../../../src/core/schedules/put-schedule.ts';
import type { ConfiguredSchedule } from '../../../src/core/schedules/schedule.ts';
import { aSchedule } from '../../support/a-schedule.ts';
import { NOON } from '../../support/builders.ts';
import { recordingTelemetry } from '../../support/http.ts';

function world() {
  const schedules = memoryScheduleStore();
  const trigger = new MemoryScheduleTrigger();
  let ids = 0;
  const clock = { now: () => NOON };
  const newId = () => `id${++ids}`;
  return { schedules, trigger, clock, ids: { newId }, maxPerTenant: 2 };
}

const set = (trigger: MemoryScheduleTrigger) => trigger.triggers.get('acme/hourly');

describe('arming a schedule', () => {
  it('leaves the trigger of the newest revision, when an older request is the last to set it', async () => {
    const deps = world();
    await deps.schedules.put(aSchedule(), undefined);
    await deps.schedules.put(aSchedule({ revision: 'r2' }), 'r1');

    const after = await armSchedule(deps, aSchedule());

    expect(after).toMatchObject({ revision: 'r2', isArmed: true });
    expect(set(deps.trigger)?.schedule.revision).toBe('r2');
  });

  it('leaves no trigger of a schedule that was deleted meanwhile', async () => {
    const deps = world();
    expect(await armSchedule(deps, aSchedule())).toBeUndefined();
    expect(set(deps.trigger)).toBeUndefined();
  });

  it('removes the trigger of one that has no run any more', async () => {
    const deps = world();
    const ended = aSchedule({ timing: { ...aSchedule().timing, endAt: NOON } });
    await deps.schedules.put(ended, undefined);
    await deps.trigger.set(ended, {});
    expect(await armSchedule(deps, ended)).toMatchObject({ isArmed: true });
    expect(set(deps.trigger)).toBeUndefined();
  });

  it('gives a rate the next run as its start, which may not be past', async () => {
    const deps = world();
    const old = aSchedule({ timing: { ...aSchedule().timing, anchorAt: NOON - 90 * 60_000 } });
    await deps.schedules.put(old, undefined);
    await armSchedule(deps, old);
    expect(set(deps.trigger)?.startAt).toBe(NOON + 30 * 60_000);
  });
});

describe('putting a schedule', () => {
  const asked = { tenantId: 'acme', name: 'hourly', job: aSchedule().job };
  const timing = { expression: 'rate(1 hour)', timezone: 'UTC' };

  it('keeps the beat of a rate when something else changes', async () => {
    const deps = world();
    await putSchedule(deps, { ...asked, timing });
    const job = { agent: 'echo', input: 2 };
    const later = { ...deps, clock: { now: () => NOON + 1_800_000 } };
    const result = await putSchedule(later, { ...asked, timing, job });
    expect(result).toMatchObject({ outcome: 'replaced', schedule: { timing: { anchorAt: NOON } } });
  });

  it('takes as many as a tenant may have, and goes on to change those', async () => {
    const deps = world();
    for (const name of ['a', 'b']) {
      const put = await putSchedule(deps, { ...asked, name, timing });
      expect(put.outcome).toBe('created');
    }
    expect(await putSchedule(deps, { ...asked, timing })).toEqual({ outcome: 'too_many' });
    const change = { ...asked, name: 'a', timing: { ...timing, expression: 'rate(2 hours)' } };
    expect((await putSchedule(deps, change)).outcome).toBe('replaced');
  });
});

describe('a firing', () => {
  it('of one that the configuration hides submits nothing, and leaves it for later', async () => {
    const submitted: string[] = [];
    const deps = {
      ...world(),
      configured: [] as ConfiguredSchedule[],
      telemetry: recordingTelemetry(),
      submit: ({ name }: DueRun) => {
        submitted.push(name);
        return Promise.resolve({ jobId: 'job_1' });
      },
    };
    await deps.schedules.put(aSchedule(), undefined);
    await armSchedule(deps, aSchedule());
    const { tenantId, name: schedule, timing, job, revision } = aSchedule();
    const firing = { tenantId, schedule, revision, scheduledAt: NOON };

    await fireSchedule(
      { ...deps, configured: [{ tenantId, name: schedule, timing, job }] },
      firing,
    );
    expect(submitted).toEqual([]);
    expect(set(deps.trigger)?.schedule.revision).toBe(revision);

    await fireSchedule(deps, firing);
    expect(submitted).toEqual([schedule]);
  });

  it.each([
    { name: 'of the schedule as it is', schedule: aSchedule(), revision: 'r1', expected: 'run' },
    { name: 'of one that is gone', schedule: undefined, revision: 'r1', expected: 'unknown' },
    { name: 'of an older revision', schedule: aSchedule(), revision: 'r0', expected: 'stale' },
    {
      name: 'of one that is paused',
      schedule: aSchedule({ isPaused: true }),
      revision: 'r1',
      expected: 'paused',
    },
  ])('$name: $expected', ({ schedule, revision, expected }) => {
    expect(decideFiring({ revision }, schedule)).toBe(expected);
  });
});
