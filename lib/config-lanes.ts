import type { ConfigKey } from './config-key.ts';
import { objectOf } from './config-open-keys.ts';
import { WORKER_KEYS } from './config-worker-keys.ts';

/** What the handlers call the lane of every agent that no other names. */
const DEFAULT_LANE = 'default';

type WorkerKey = keyof typeof WORKER_KEYS;

/** A worker of its own for some agents; what it leaves out is as in `worker`. */
export type LaneConfig = { readonly agents: readonly string[] } & {
  readonly [Key in WorkerKey]?: number;
};

export type LanesConfig = Readonly<Record<string, LaneConfig>>;

/** Their queues stand in the environment of functions, 4 KB for each. */
const MOST_LANES = 5;
const MOST_AGENTS_LENGTH = 1_000;
const LANE_NAME = /^[a-z][a-z0-9-]{0,19}$/;
const AGENT_NAME = /^[a-z0-9][a-z0-9-]{0,63}$/;
const KEYS = ['agents', ...Object.keys(WORKER_KEYS)];

/** Workers of their own for some agents, by a name of the user's choice. */
export function lanes(description: { readonly effect: string }): ConfigKey<LanesConfig> {
  return {
    ...description,
    default: {},
    allowed: `an object of up to ${MOST_LANES} names (lower-case letters, digits and hyphens, up to 20 characters, not ${DEFAULT_LANE}), with an object of agents and of any keys of worker each`,
    parse: (value) => {
      const given = objectOf(value);
      return given === undefined || faultsOf(given).length > 0 ? undefined : (given as LanesConfig);
    },
    faults: (value) => {
      const given = objectOf(value);
      return given === undefined ? [] : faultsOf(given);
    },
  };
}

function faultsOf(given: Readonly<Record<string, unknown>>): string[] {
  const entries = Object.entries(given);
  const faults = entries.flatMap(([name, lane]) => laneFaults(name, objectOf(lane)));
  if (faults.length > 0) return faults;
  if (entries.length > MOST_LANES) {
    faults.push(`workers must have at most ${MOST_LANES} names, got ${entries.length}`);
  }
  return [...faults, ...agentFaults(given as LanesConfig)];
}

function laneFaults(name: string, lane: Readonly<Record<string, unknown>> | undefined): string[] {
  const path = `workers.${name}`;
  if (!LANE_NAME.test(name) || name === DEFAULT_LANE) {
    return [
      `${path}: the name must be lower-case letters, digits and hyphens, begin with a letter, have up to 20 characters and not be ${DEFAULT_LANE}, got ${JSON.stringify(name)}`,
    ];
  }
  if (lane === undefined) return [`${path} must be an object of ${KEYS.join(', ')}, got no object`];
  const unknown = Object.keys(lane)
    .filter((key) => !KEYS.includes(key))
    .map((key) => `unknown key ${path}.${key}, allowed are ${KEYS.join(', ')}`);
  const { agents } = lane;
  const areNames =
    Array.isArray(agents) &&
    agents.every((agent) => typeof agent === 'string' && AGENT_NAME.test(agent));
  return [
    ...unknown,
    ...(areNames
      ? []
      : [
          `${path}.agents must be a list of names of agents (empty for a lane that is drained), got ${agents === undefined ? 'nothing' : JSON.stringify(agents)}`,
        ]),
    ...Object.entries(WORKER_KEYS)
      .filter(([key, of]) => lane[key] !== undefined && of.parse(lane[key]) === undefined)
      .map(
        ([key, { allowed }]) =>
          `${path}.${key} must be ${allowed}, got ${JSON.stringify(lane[key])}`,
      ),
  ];
}

/** Each agent has one lane, and all names have room. */
function agentFaults(config: LanesConfig): string[] {
  const named = Object.entries(config).flatMap(([name, { agents }]) =>
    agents.map((agent) => ({ agent, path: `workers.${name}.agents` })),
  );
  const twice = [...Map.groupBy(named, ({ agent }) => agent)]
    .filter(([, places]) => places.length > 1)
    .map(
      ([agent, places]) =>
        `${places.map(({ path }) => path).join(' and ')}: an agent has one lane, got ${JSON.stringify(agent)} ${places.length} times`,
    );
  const length = named.reduce((sum, { agent }) => sum + agent.length, 0);
  if (length <= MOST_AGENTS_LENGTH) return twice;
  return [
    ...twice,
    `the names of the agents of workers must have at most ${MOST_AGENTS_LENGTH} characters together, got ${length}`,
  ];
}
