export { AppError, hasCode, type ErrorCode } from '../errors.ts';
export type {
  AgentContext,
  ChildHandle,
  ChildResult,
  SignalOptions,
  SpawnOptions,
  LogLevel,
  MapOptions,
  Progress,
  Scope,
  StepContext,
  StepOptions,
} from './context.ts';
export { type Agent, type AgentDefinition, type AgentLimits, defineAgent } from './define-agent.ts';
export { type Duration, durationMs } from './duration.ts';
export { RetryableError, TerminalError } from './errors.ts';
export { type AgentRegistry, defineRegistry } from './registry.ts';
