import { expect, it } from '@jest/globals';
import { type App, Stack, Validations } from 'aws-cdk-lib';
import { Queue } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { ALL_OPTIONS } from './all-options.ts';
import { LonghaulStack } from '../../lib/longhaul-stack.ts';
import { WITHOUT_BUNDLING, withApp } from './synthesize.ts';

const KEY_ARN = 'arn:aws:kms:eu-west-1:123456789012:key/0f3e2a3c-1c1a-4e43-8d6c-0d3b4b1a2c3d';
const WEB_ACL_ARN =
  'arn:aws:wafv2:eu-west-1:123456789012:regional/webacl/ours/0f3e2a3c-1c1a-4e43-8d6c-0d3b4b1a2c3d';

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

it.each([
  { name: 'development', config: { environment: 'development' } },
  { name: 'development with every option', config: { ...ALL_OPTIONS, environment: 'development' } },
  { name: 'production with every option', config: ALL_OPTIONS },
  {
    name: 'production with a key and a web ACL that are there',
    config: { encryption: { kmsKeyArn: KEY_ARN }, api: { wafWebAclArn: WEB_ACL_ARN } },
  },
] as const)('cdk-nag finds nothing that is not acknowledged in $name', ({ config }) => {
  check((app) => new LonghaulStack(app, 'Longhaul', { agentsEntry: 'agents/index.ts', config }));
});

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
