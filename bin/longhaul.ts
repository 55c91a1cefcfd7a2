import { App } from 'aws-cdk-lib';
import { ConfigError } from '../lib/config-error.ts';
import { configFromContext } from '../lib/config-context.ts';
import { LonghaulStack } from '../lib/longhaul-stack.ts';

try {
  const app = new App();
  new LonghaulStack(app, 'Longhaul', {
    description: 'Longhaul: runs long agent jobs',
    agentsEntry: 'agents/index.ts',
    config: configFromContext(app.node),
  });
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
