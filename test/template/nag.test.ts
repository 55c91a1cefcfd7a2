import { expect, it } from '@jest/globals';
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { LonghaulStack } from '../../lib/longhaul-stack.ts';
import { WITHOUT_BUNDLING, withApp } from './synthesize.ts';

/** Synthesizes an app under the AWS Solutions pack, which throws when there are findings. */
function check(build: (app: App) => Stack): void {
  withApp((app) => {
    Validations.of(app).addPlugins(new AwsSolutionsChecks(app));
    build(app);
    app.synth();
  }, WITHOUT_BUNDLING);
}

it.each(['newRole', 'existingRole', 'off'] as const)(
  'cdk-nag finds nothing in the stack that is not acknowledged with a reason, its access logs %s',
  (apiAccessLogs) => {
    const props = { agentsEntry: 'agents/index.ts', config: { apiAccessLogs } };
    check((app) => new LonghaulStack(app, 'Longhaul', props));
  },
);

it.each([{ mode: 'none' }, { mode: 'otel', otlpEndpoint: 'http://127.0.0.1:4318' }] as const)(
  'cdk-nag finds nothing in the stack with tracing of mode $mode',
  (tracing) => {
    const props = { agentsEntry: 'agents/index.ts', config: { tracing } };
    check((app) => new LonghaulStack(app, 'Longhaul', props));
  },
);

it('cdk-nag would find a queue that takes plain HTTP', () => {
  const withBareQueue = (app: App) => {
    const stack = new Stack(app, 'Bare');
    new Queue(stack, 'Queue');
    return stack;
  };

  expect(() => {
    check(withBareQueue);
  }).toThrow(/AwsSolutions-SQS4/);
});
