import { parseArgs } from 'node:util';
import { dynamoTenantStore } from '../src/adapters/dynamodb/tenant-store.ts';
import type { TenantChanges, TenantLimits } from '../src/core/ports/tenant-store.ts';
import { tenantJson, tenantLine } from './describe-tenant.ts';
import { millisecondsOf } from './end-of.ts';
import { openTable, TABLE_OPTIONS } from './open-table.ts';
import { tenantOf } from './tenant-of.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

const NAMES = ['allowed-agents', 'max-steps', 'max-duration', 'requests-per-second'] as const;
type Name = (typeof NAMES)[number];
type Given = Readonly<Partial<Record<Name, string>>>;

/** More would not fit into what the authorizer may hand over. */
const MOST_AGENTS = 50;
const AGENT = /^[a-z0-9][a-z0-9-]{0,63}$/;

/** `tenants set` */
export async function setTenant(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      'allowed-agents': { type: 'string' },
      'max-steps': { type: 'string' },
      'max-duration': { type: 'string' },
      'requests-per-second': { type: 'string' },
      unset: { type: 'string' },
      ...TABLE_OPTIONS,
    },
  });
  const tenantId = tenantOf('<tenant>', positionals[0]);
  if (positionals.length > 1) throw new UsageError('tenants set takes one tenant at a time');
  const unset = unsetOf(values.unset, values);
  const simple = { ...agentsChange(values, unset), ...rateChange(values, unset) };
  const limits = limitsOf(values);
  const changesLimits =
    Object.keys(limits).length > 0 || unset.includes('max-steps') || unset.includes('max-duration');
  if (Object.keys(simple).length === 0 && !changesLimits) {
    throw new UsageError(
      `nothing is set: give one of ${NAMES.map((name) => `--${name}`).join(', ')}`,
    );
  }

  const store = dynamoTenantStore(openTable(values.table, terminal));
  const stored = changesLimits ? (await store.find(tenantId))?.limits : undefined;
  const changes: TenantChanges = {
    ...simple,
    ...(changesLimits && { limits: mergedLimits(stored, limits, unset) }),
  };
  const tenant = await store.update(tenantId, changes, Date.now());
  terminal.out(values.json ? JSON.stringify(tenantJson(tenant)) : tenantLine(tenant));
  terminal.note('the API goes by this within two minutes');
}

function unsetOf(text: string | undefined, given: Given): Name[] {
  const names = text === undefined ? [] : text.split(',').map((name) => name.trim());
  return names.map((text) => {
    const name = NAMES.find((candidate) => candidate === text);
    if (name === undefined) {
      throw new UsageError(
        `--unset names ${JSON.stringify(text)}: allowed are ${NAMES.join(', ')}, separated by commas`,
      );
    }
    if (given[name] !== undefined) throw new UsageError(`--${name} is both set and unset`);
    return name;
  });
}

function agentsChange(
  { 'allowed-agents': text }: Given,
  unset: readonly Name[],
): Pick<TenantChanges, 'allowedAgents'> {
  if (unset.includes('allowed-agents')) return { allowedAgents: null };
  if (text === undefined) return {};
  const agents = [...new Set(text.split(',').map((name) => name.trim()))];
  const wrong = agents.find((name) => !AGENT.test(name));
  if (wrong !== undefined) {
    throw new UsageError(
      `--allowed-agents names ${JSON.stringify(wrong)}: give names of agents, separated by commas`,
    );
  }
  if (agents.length <= MOST_AGENTS) return { allowedAgents: agents };
  throw new UsageError(`--allowed-agents has ${agents.length} names: allowed are ${MOST_AGENTS}`);
}

function rateChange(
  { 'requests-per-second': text }: Given,
  unset: readonly Name[],
): Pick<TenantChanges, 'requestsPerSecond'> {
  if (unset.includes('requests-per-second')) return { requestsPerSecond: null };
  return text === undefined
    ? {}
    : { requestsPerSecond: wholeOf('--requests-per-second', text, [0, 10_000]) };
}

function limitsOf({ 'max-steps': steps, 'max-duration': duration }: Given): TenantLimits {
  const maxDurationMs = duration && millisecondsOf('--max-duration', duration);
  if (typeof maxDurationMs === 'number' && maxDurationMs < 1_000) {
    throw new UsageError(`--max-duration is ${JSON.stringify(duration)}: allowed are 1s to 400d`);
  }
  return {
    ...(steps !== undefined && { maxSteps: wholeOf('--max-steps', steps, [1, 100_000]) }),
    ...(typeof maxDurationMs === 'number' && { maxDurationMs }),
  };
}

function mergedLimits(
  stored: TenantLimits | undefined,
  given: TenantLimits,
  unset: readonly Name[],
): TenantLimits | null {
  const { maxSteps, maxDurationMs } = { ...stored, ...given };
  const limits = {
    ...(maxSteps !== undefined && !unset.includes('max-steps') && { maxSteps }),
    ...(maxDurationMs !== undefined && !unset.includes('max-duration') && { maxDurationMs }),
  };
  return Object.keys(limits).length > 0 ? limits : null;
}

function wholeOf(option: string, text: string, [min, max]: readonly [number, number]): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && value >= min && value <= max) return value;
  throw new UsageError(
    `${option} is ${JSON.stringify(text)}: allowed is a whole number from ${min} to ${max}`,
  );
}
