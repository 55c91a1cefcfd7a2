import { describe, expect, it } from '@jest/globals';
import { privileges } from './privileges.ts';
import { resourcesByPath, synthesize } from './synthesize.ts';

const PUBLISHERS = ['Submit', 'Api', 'Schedules/Function', 'Worker/Function', 'Sweeper/Function'];

/** `EVENT_BUS` of each function that has it. */
function busesOf(template: ReturnType<typeof synthesize>['template']) {
  const functions = Object.entries(resourcesByPath(template, 'AWS::Lambda::Function'));
  return Object.fromEntries(
    functions.flatMap(([path, { Properties }]) => {
      const { Variables } = Properties['Environment'] as { Variables: Record<string, unknown> };
      return 'EVENT_BUS' in Variables ? [[path, Variables['EVENT_BUS']]] : [];
    }),
  );
}

const publishersOf = (template: ReturnType<typeof synthesize>['template']) =>
  Object.entries(privileges(template)).flatMap(([path, rights]) =>
    rights.filter((right) => right.startsWith('events:')).map((right) => [path, right]),
  );

describe('the notifications queue', () => {
  const { template } = synthesize();
  const queues = resourcesByPath(template, 'AWS::SQS::Queue');
  const { Properties: pending = {} } = queues['Longhaul/Notifications/Pending'] ?? {};

  it('hides a message for longer than the notifier may take', () => {
    const notifier = resourcesByPath(template, 'AWS::Lambda::Function')[
      'Longhaul/Notifier/Function'
    ];
    expect(Number(pending['VisibilityTimeout'])).toBeGreaterThan(
      Number(notifier?.Properties['Timeout']),
    );
  });

  it('has a dead-letter queue of its own, which keeps messages longer', () => {
    const { Properties: undelivered = {} } = queues['Longhaul/Notifications/Undelivered'] ?? {};
    expect(pending['RedrivePolicy']).toMatchObject({
      deadLetterTargetArn: {
        'Fn::GetAtt': [expect.stringContaining('NotificationsUndelivered'), 'Arn'],
      },
    });
    expect(Number(undelivered['MessageRetentionPeriod'])).toBeGreaterThan(
      Number(pending['MessageRetentionPeriod']),
    );
  });
});

describe('the event bus', () => {
  it('is not there unless it is asked for', () => {
    const { template } = synthesize();
    template.resourceCountIs('AWS::Events::EventBus', 0);
    expect(busesOf(template)).toEqual({});
    expect(publishersOf(template)).toEqual([]);
  });

  it('is made, and those that change statuses may put events on it, and nothing else', () => {
    const { template } = synthesize({ eventBus: 'new' });
    template.resourceCountIs('AWS::Events::EventBus', 1);
    template.hasOutput('EventBusName', {});
    const paths = PUBLISHERS.map((path) => `Longhaul/${path}`);
    expect(Object.keys(busesOf(template)).sort()).toEqual([...paths].sort());
    expect(publishersOf(template).sort()).toEqual(
      paths.map((path) => [path, 'events:PutEvents on StatusEvents/Bus']).sort(),
    );
  });

  it('may be one that is there', () => {
    const { template } = synthesize({ eventBus: 'company-events' });
    template.resourceCountIs('AWS::Events::EventBus', 0);
    expect(new Set(Object.values(busesOf(template)))).toEqual(new Set(['company-events']));
    expect(JSON.stringify(publishersOf(template))).toContain('event-bus/company-events');
  });
});
