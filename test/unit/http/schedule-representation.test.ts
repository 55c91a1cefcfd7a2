import { describe, expect, it } from '@jest/globals';
import { scheduleRepresentation } from '../../../lambdas/http/schedule-representation.ts';
import { aSchedule } from '../../support/a-schedule.ts';
import { NOON } from '../../support/builders.ts';

describe('the last run of a schedule', () => {
  const schedule = aSchedule({ createdAt: NOON });

  it.each([
    { name: 'is shown', ranAt: NOON, shown: 'job_1' },
    { name: 'is not that of an earlier one of its name', ranAt: NOON - 1, shown: undefined },
  ])('$name', ({ ranAt, shown }) => {
    const lastRun = { scheduledAt: ranAt, ranAt, jobId: 'job_1' };
    expect(scheduleRepresentation({ schedule, lastRun }, NOON).lastRun?.jobId).toBe(shown);
  });
});
