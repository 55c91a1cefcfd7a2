import { expect, it } from '@jest/globals';
import { type App, Stack } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import {
  Alarm,
  AlarmRule,
  CompositeAlarm,
  MathExpression,
  Metric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { leaveOutEmulatorGaps } from '../../lib/emulator-gaps.ts';
import { withApp } from './synthesize.ts';

function deployedAlarms(app: App): unknown[] {
  const stack = new Stack(app, 'Stack');
  const metric = new Metric({ namespace: 'Test', metricName: 'Count' });
  const doubled = new MathExpression({ expression: 'm * 2', usingMetrics: { m: metric } });
  const once = { threshold: 1, evaluationPeriods: 1 };
  new Alarm(stack, 'Plain', { ...once, metric, alarmName: 'plain' });
  new Alarm(stack, 'OverMath', { ...once, metric: doubled, alarmName: 'over-math' });
  new CompositeAlarm(stack, 'Composite', { alarmRule: AlarmRule.fromBoolean(true) });

  leaveOutEmulatorGaps(app);
  const resources = Template.fromStack(stack).toJSON()['Resources'] as Record<
    string,
    { Type: string; Properties: { AlarmName?: string } }
  >;
  return Object.values(resources).map(({ Type, Properties }) => [Type, Properties.AlarmName]);
}

it('leaves out what the emulator cannot take and nothing else', () => {
  expect(withApp(deployedAlarms)).toEqual([['AWS::CloudWatch::Alarm', 'plain']]);
});

it('adds the grant of triggers by the name that the emulator asks for', () => {
  const granted = withApp((app) => {
    const stack = new Stack(app, 'Stack');
    const role = new Role(stack, 'Role', {
      assumedBy: new ServicePrincipal('lambda.amazonaws.com'),
    });
    const resources = ['arn:aws:scheduler:eu-west-1:000000000000:schedule/own/*'];
    role.addToPolicy(new PolicyStatement({ actions: ['scheduler:CreateSchedule'], resources }));
    role.addToPolicy(new PolicyStatement({ actions: ['sqs:SendMessage'], resources: ['*'] }));

    leaveOutEmulatorGaps(app);
    return JSON.stringify(Template.fromStack(stack).findResources('AWS::IAM::Policy'));
  });

  expect(granted.match(/schedule\/(default|own)\/\*/g)).toEqual([
    'schedule/own/*',
    'schedule/default/*',
  ]);
});
