import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from '@jest/globals';
import { configuredSchedules } from '../../lib/configured-schedules.ts';
import { LonghaulStack } from '../../lib/longhaul-stack.ts';
import { WITHOUT_BUNDLING, withApp } from './synthesize.ts';

const NIGHTLY = {
  tenant: 'acme',
  name: 'nightly',
  expression: 'cron(0 2 * * ? *)',
  timezone: 'Europe/Berlin',
  agent: 'greet',
  input: { names: ['Ada'] },
};

describe('schedules of the configuration', () => {
  it('become triggers of the group that start the function of the schedules', () => {
    const template = withApp((app) => {
      const schedules = [NIGHTLY];
      const stack = new LonghaulStack(app, 'Longhaul', {
        agentsEntry: 'agents/index.ts',
        schedules,
      });
      return Template.fromStack(stack);
    }, WITHOUT_BUNDLING);

    template.hasResourceProperties('AWS::Scheduler::Schedule', {
      ScheduleExpression: NIGHTLY.expression,
      ScheduleExpressionTimezone: NIGHTLY.timezone,
      Target: {
        Input: JSON.stringify({
          tenantId: 'acme',
          schedule: 'nightly',
          scheduledAt: '<aws.scheduler.scheduled-time>',
        }),
      },
    });
  });

  it.each([
    { name: 'what is no list', given: {}, says: /schedules must be a list, got {}/ },
    { name: 'a tenant that is none', given: [{ ...NIGHTLY, tenant: 'A' }], says: /\[0\].tenant/ },
    { name: 'an unknown field', given: [{ ...NIGHTLY, every: 1 }], says: /every/ },
    {
      name: 'a bad expression',
      given: [{ ...NIGHTLY, expression: 'cron(0 2 * * * *)' }],
      says: /\[0\].expression: one of day of the month and day of the week must be \?/,
    },
    { name: 'the same twice', given: [NIGHTLY, NIGHTLY], says: /acme\/nightly is there twice/ },
  ])('refuse $name at synth', ({ given, says }) => {
    expect(() => configuredSchedules(given)).toThrow(says);
  });
});
