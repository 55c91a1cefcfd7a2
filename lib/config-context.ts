import { existsSync } from 'node:fs';
import type { Node } from 'constructs';
import { booleanOf } from './config-key.ts';
import type { ConfiguredScheduleInput } from './configured-schedules.ts';
import { ConfigError } from './config-error.ts';
import { type ConfigValues, flattened, type LonghaulConfig, resolveConfig } from './config.ts';

const CONTEXT_KEY = 'longhaul';
const SINGLE_KEY_PREFIX = `${CONTEXT_KEY}:`;
const SCHEDULES_KEY = `${SINGLE_KEY_PREFIX}schedules`;

/** Overrides that `-c profile=<name>` selects. */
export const PROFILES: Readonly<Record<string, ConfigValues>> = {
  /** The local runtime: short times, so that a crash is made good within seconds; a limit that one can run into; an issuer of tokens on this machine. */
  local: {
    leaseSeconds: 6,
    sweepIntervalSeconds: 2,
    'events.reservedConcurrency': 100,
    'jwt.allowLoopback': true,
    'webhooks.firstRetrySeconds': 1,
    'webhooks.allowLoopback': true,
  },
};

/**
 * The configuration of an app. Later ones win: defaults, `longhaul` in cdk.json, `-c profile=<name>`, single keys
 * (`-c longhaul:worker.batchSize=20`).
 * @throws ConfigError
 */
export function configFromContext(node: Node): LonghaulConfig {
  return resolveConfig(wholeObject(node), profile(node), singleKeys(node));
}

/**
 * The file that exports the agents: `agents/index.ts`, or what `-c agentsEntry=<path>` names.
 * @throws ConfigError
 */
export function agentsEntryFromContext(node: Node): string {
  const got: unknown = node.tryGetContext('agentsEntry') ?? 'agents/index.ts';
  if (typeof got === 'string' && got.endsWith('.ts') && existsSync(got)) return got;
  throw new ConfigError([
    `context agentsEntry must be the path of a TypeScript file that exports registry, got ${JSON.stringify(got)}`,
  ]);
}

/** The list `schedules` of the object `longhaul`, or JSON of `-c longhaul:schedules=[…]`; the construct checks it. */
export function schedulesFromContext(node: Node): readonly ConfiguredScheduleInput[] {
  const text: unknown = node.tryGetContext(SCHEDULES_KEY);
  if (typeof text === 'string') return parsedSchedules(text);
  const got = (node.tryGetContext(CONTEXT_KEY) ?? {}) as { schedules?: unknown };
  return (got.schedules ?? []) as readonly ConfiguredScheduleInput[];
}

/** Whether `-c emulator=true` asks to leave out what the emulator cannot take. */
export function isForEmulator(node: Node): boolean {
  const got: unknown = node.tryGetContext('emulator') ?? false;
  const value = booleanOf(got);
  if (value === undefined) {
    throw new ConfigError([`context emulator must be true or false, got ${JSON.stringify(got)}`]);
  }
  return value;
}

function parsedSchedules(text: string): readonly ConfiguredScheduleInput[] {
  try {
    return JSON.parse(text) as readonly ConfiguredScheduleInput[];
  } catch (error) {
    throw new ConfigError([`${SCHEDULES_KEY} must be JSON: ${(error as Error).message}`]);
  }
}

function wholeObject(node: Node): ConfigValues {
  const got: unknown = node.tryGetContext(CONTEXT_KEY) ?? {};
  if (typeof got === 'object' && got !== null && !Array.isArray(got)) {
    const { schedules: _, ...settings } = got as Record<string, unknown>;
    return flattened(settings);
  }
  throw new ConfigError([`context longhaul must be an object, got ${JSON.stringify(got)}`]);
}

function profile(node: Node): ConfigValues {
  const name: unknown = node.tryGetContext('profile');
  if (name === undefined) return {};
  const overrides = typeof name === 'string' ? PROFILES[name] : undefined;
  if (overrides !== undefined) return overrides;
  const allowed = Object.keys(PROFILES).join(', ');
  throw new ConfigError([`context profile must be one of ${allowed}, got ${JSON.stringify(name)}`]);
}

function singleKeys(node: Node): ConfigValues {
  const context = node.getAllContext() as Record<string, unknown>;
  return Object.fromEntries(
    Object.entries(context)
      .filter(([name]) => name.startsWith(SINGLE_KEY_PREFIX) && name !== SCHEDULES_KEY)
      .map(([name, value]) => [name.slice(SINGLE_KEY_PREFIX.length), value]),
  );
}
