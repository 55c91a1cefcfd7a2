export { assertReplays, type Scenario } from './assert-replays.ts';
export type { CrashMoment, StepFailureOptions } from './faults.ts';
export { type AgentTest, testAgent, type TestAgentOptions } from './test-agent.ts';
export type { TestJob, TestJobState, TestSignalOptions } from './test-job.ts';
