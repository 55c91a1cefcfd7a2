import { App } from 'aws-cdk-lib';
import { ConfigError } from '../lib/config-error.ts';
import {
  agentsEntryFromContext,
  configFromContext,
  isForEmulator,
  schedulesFromContext,
} from '../lib/config-context.ts';
import { leaveOutEmulatorGaps } from '../lib/emulator-gaps.ts';
import { LonghaulStack } from '../lib/longhaul-stack.ts';

try {
  const app = new App();
  new LonghaulStack(app, 'Longhaul', {
    description: 'Longhaul: runs long agent jobs',
    agentsEntry: agentsEntryFromContext(app.node),
    config: configFromContext(app.node),
    schedules: schedulesFromContext(app.node),
  });
  if (isForEmulator(app.node)) leaveOutEmulatorGaps(app);
  app.synth();
} catch (error) {
  if (!(error instanceof ConfigError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
