export { ConfigError } from './config-error.ts';
export type {
  ApiThrottleConfig,
  LonghaulConfig,
  LonghaulConfigInput,
  SubJobsConfig,
  WebhooksConfig,
  WorkerConfig,
} from './config.ts';
export { configFromContext } from './config-context.ts';
export type { ConfiguredScheduleInput } from './configured-schedules.ts';
export { Longhaul, type LonghaulProps } from './longhaul.ts';
export { LonghaulStack, type LonghaulStackProps } from './longhaul-stack.ts';
