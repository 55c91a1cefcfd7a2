import type { StandardSchemaV1 } from '@standard-schema/spec';
import { AppError } from '../errors.ts';
import type { AgentContext } from './context.ts';
import { type Duration, durationMs } from './duration.ts';

/** What ends a job that runs away, with a code that names the limit. */
export interface AgentLimits {
  /** Distinct steps a job may record, and its clean-up as many again. Default 10,000. */
  readonly maxSteps?: number;
  /**
   * Longest `timeout` that any step of this agent has. Declare it where a step takes minutes: a worker whose time slices are
   * too short for it refuses the agent when it registers it, and the jobs wait; what is not declared is refused only when
   * the step is called. Default: whatever a time slice gives.
   */
  readonly maxStepTimeout?: Duration;
  /** From submit to the end, waits included. Default `'30d'`, at most `'400d'`. */
  readonly maxDuration?: Duration;
  /** Crashes in a row without a page of progress between them. Default 5, at most 100. */
  readonly maxAttempts?: number;
  /** From the cancel to the end of `onCancel`, waits included; never beyond `maxDuration`. Default `'1h'`. */
  readonly maxCleanUp?: Duration;
}

/** What `defineAgent` takes. */
export interface AgentDefinition<Input extends StandardSchemaV1, Output extends StandardSchemaV1> {
  /** `[a-z0-9-]`, at most 64 characters; what clients submit as `agent`. */
  readonly name: string;
  /** Recorded with every attempt. Default `'1'`. */
  readonly version?: string;
  /** Any Standard Schema (zod, valibot, arktype, …); checked at submit and again when the job runs. */
  readonly input: Input;
  /** Checked when `run` returns. */
  readonly output: Output;
  readonly limits?: AgentLimits;
  /** Replayed from the top after every crash or suspension: everything that is not a pure function of the input and of step outcomes belongs into a step. */
  run(
    ctx: AgentContext,
    input: StandardSchemaV1.InferOutput<Input>,
  ): Promise<StandardSchemaV1.InferInput<Output>>;
  /**
   * Cleans up after a cancel, with durable steps of its own (their ids are a scope of their own). Whatever it throws, and when
   * `limits.maxCleanUp` is over, the job ends `cancelled`; the trace then shows what went wrong.
   */
  onCancel?(ctx: AgentContext, input: StandardSchemaV1.InferOutput<Input>): Promise<void>;
}

/** An agent whose types have been erased: what registries hold and the engine runs. */
export interface Agent {
  readonly name: string;
  readonly version: string;
  readonly input: StandardSchemaV1;
  readonly output: StandardSchemaV1;
  readonly limits: {
    readonly maxSteps: number;
    readonly maxDurationMs: number;
    readonly maxAttempts: number;
    readonly maxCleanUpMs: number;
    readonly maxStepTimeoutMs?: number;
  };
  run(ctx: AgentContext, input: unknown): Promise<unknown>;
  readonly onCancel?: (ctx: AgentContext, input: unknown) => Promise<void>;
}

const NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;

/**
 * Declares an agent. Types of `input` and `output` flow into `run`.
 * @throws AppError `invalid_option` naming the field, the value got and the values allowed.
 * @example
 * export const greet = defineAgent({
 *   name: 'greet',
 *   input: z.object({ name: z.string() }),
 *   output: z.object({ greeting: z.string() }),
 *   run: async (ctx, { name }) => ({ greeting: await ctx.step('greet', () => `Hello, ${name}`) }),
 * });
 */
export function defineAgent<Input extends StandardSchemaV1, Output extends StandardSchemaV1>(
  definition: AgentDefinition<Input, Output>,
): Agent {
  const { name, input, output } = definition;
  const onCancel = definition.onCancel?.bind(definition);
  if (!NAME.test(name))
    throw invalid('name', name, 'lower-case letters, digits and hyphens, 1 to 64 characters');
  if (!isSchema(input))
    throw invalid('input', typeof input, 'a Standard Schema, such as z.object({ … })');
  if (!isSchema(output))
    throw invalid('output', typeof output, 'a Standard Schema, such as z.object({ … })');
  return {
    name,
    version: definition.version ?? '1',
    input,
    output,
    limits: resolveLimits(definition.limits ?? {}),
    run: (ctx, input) => definition.run(ctx, input),
    ...(onCancel === undefined ? {} : { onCancel }),
  };
}

/** Agents are bundled without a look at their types: what is no schema would show in a job only. */
function isSchema(value: unknown): boolean {
  return '~standard' in (Object(value) as object);
}

function resolveLimits(limits: AgentLimits): Agent['limits'] {
  const { maxStepTimeout } = limits;
  return {
    maxSteps: checked('limits.maxSteps', limits.maxSteps ?? 10_000, 100_000),
    maxAttempts: checked('limits.maxAttempts', limits.maxAttempts ?? 5, 100),
    maxDurationMs: checkedMs('limits.maxDuration', limits.maxDuration ?? '30d', '1s'),
    maxCleanUpMs: checkedMs('limits.maxCleanUp', limits.maxCleanUp ?? '1h', '1s'),
    ...(maxStepTimeout === undefined
      ? {}
      : { maxStepTimeoutMs: checkedMs('limits.maxStepTimeout', maxStepTimeout, '1ms') }),
  };
}

/** `durationMs` refuses what is longer than a job can take. */
function checkedMs(field: string, value: Duration, min: Duration): number {
  const ms = durationMs(value);
  if (ms < durationMs(min)) throw invalid(field, value, `a duration between '${min}' and '400d'`);
  return ms;
}

function checked(field: string, value: number, max: number): number {
  if (!Number.isInteger(value) || value < 1 || value > max) {
    throw invalid(field, value, `a whole number from 1 to ${max}`);
  }
  return value;
}

function invalid(field: string, value: unknown, allowed: string): AppError {
  return new AppError(`agent ${field} is ${JSON.stringify(value)}: allowed is ${allowed}`, {
    code: 'invalid_option',
    details: { field, value, allowed },
  });
}
