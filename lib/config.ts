import { CONFIG_KEYS } from './config-keys.ts';
import { ConfigError } from './config-error.ts';

/** Settings of one deployment. Defaults and allowed values: `CONFIG_KEYS` and `docs/configuration.md`. */
export interface LonghaulConfig {
  readonly environment: 'development' | 'production';
  readonly retentionDays: number;
  readonly leaseSeconds: number;
  readonly sweepIntervalSeconds: number;
  readonly worker: WorkerConfig;
  readonly subJobs: SubJobsConfig;
  readonly events: EventsConfig;
  readonly webhooks: WebhooksConfig;
  readonly schedulesPerTenant: number;
  readonly eventBus: string;
  readonly apiThrottle: ApiThrottleConfig;
  readonly corsOrigins: string;
  readonly tenantRequestsPerSecond: number;
  readonly jwt: JwtConfig;
  readonly apiAccessLogs: 'newRole' | 'existingRole' | 'off';
  readonly alarms: AlarmsConfig;
  readonly logLevel: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR';
  readonly logRetentionDays: number;
  readonly tracing: boolean;
}

export interface WorkerConfig {
  readonly timeoutSeconds: number;
  readonly memoryMb: number;
  readonly batchSize: number;
  readonly batchingWindowSeconds: number;
  readonly maxConcurrency: number;
}

export interface SubJobsConfig {
  readonly maxDepth: number;
  readonly maxPerJob: number;
}

export interface EventsConfig {
  readonly reservedConcurrency: number;
}

export interface WebhooksConfig {
  readonly firstRetrySeconds: number;
  readonly giveUpHours: number;
  readonly allowLoopback: boolean;
}

export interface ApiThrottleConfig {
  readonly rateLimit: number;
  readonly burstLimit: number;
}

export interface AlarmsConfig {
  readonly email: string;
  readonly runbookUrl: string;
  readonly deadLettersPerFiveMinutes: number;
  readonly oldestMessageSeconds: number;
  readonly overdueJobs: number;
  readonly endToEndSeconds: number;
  readonly workerErrorsPerFiveMinutes: number;
  readonly apiServerErrorsPerFiveMinutes: number;
  readonly quietAfterDeployMinutes: number;
}

export interface JwtConfig {
  readonly issuer: string;
  readonly audience: string;
  readonly jwksUrl: string;
  readonly tenantClaim: string;
  readonly scopeClaim: string;
  readonly scopeMap: string;
  readonly allowLoopback: boolean;
}

/** Any part of the configuration; what is left out keeps its default. */
export type LonghaulConfigInput = {
  readonly [Key in keyof LonghaulConfig]?: LonghaulConfig[Key] extends object
    ? Partial<LonghaulConfig[Key]>
    : LonghaulConfig[Key];
};

/** `leaseSeconds`, `worker.batchSize`, …: the name of a key in messages and on the command line. */
export type ConfigPath = {
  [Key in keyof LonghaulConfig]: LonghaulConfig[Key] extends object
    ? `${Key}.${keyof LonghaulConfig[Key] & string}`
    : Key;
}[keyof LonghaulConfig];

export type ConfigValue<Path extends ConfigPath> = Path extends keyof LonghaulConfig
  ? LonghaulConfig[Path]
  : Path extends `${infer Group extends keyof LonghaulConfig}.${infer Key}`
    ? LonghaulConfig[Group][Key & keyof LonghaulConfig[Group]]
    : never;

/** Values by path, not checked yet. */
export type ConfigValues = Readonly<Record<string, unknown>>;

/**
 * The whole configuration: defaults, overridden by `sources` in their order.
 * @throws ConfigError naming each wrong key or value, with the values allowed.
 */
export function resolveConfig(...sources: readonly ConfigValues[]): LonghaulConfig {
  const given = Object.assign({}, ...sources) as ConfigValues;
  const faults: string[] = Object.keys(given).flatMap(unknownKeyFault);
  const values: Record<string, unknown> = {};
  for (const [path, key] of Object.entries(CONFIG_KEYS)) {
    const value = given[path] === undefined ? key.default : key.parse(given[path]);
    if (value === undefined) faults.push(valueFault(path, given[path], key.allowed));
    values[path] = value;
  }
  if (faults.length === 0) faults.push(...crossFieldFaults(values));
  if (faults.length > 0) throw new ConfigError(faults);
  return nested(values);
}

/** `{ worker: { batchSize: 5 } }` → `{ 'worker.batchSize': 5 }`. */
export function flattened(config: object, prefix = ''): ConfigValues {
  return Object.assign(
    {},
    ...Object.entries(config).map(([name, value]: [string, unknown]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? flattened(value, `${prefix}${name}.`)
        : { [`${prefix}${name}`]: value },
    ),
  ) as ConfigValues;
}

/** Rules between keys; each names the keys, the values got and the values allowed. */
function crossFieldFaults(values: ConfigValues): string[] {
  return [...batchFaults(values), ...jwtFaults(values)];
}

function batchFaults(values: ConfigValues): string[] {
  const batchSize = Number(values['worker.batchSize']);
  const window = Number(values['worker.batchingWindowSeconds']);
  if (batchSize <= 10 || window >= 1) return [];
  return [
    `worker.batchingWindowSeconds must be a whole number from 1 to 300 when worker.batchSize is above 10 (it is ${batchSize}), got ${window}`,
  ];
}

const LOOPBACK = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?=[:/]|$)/;

function jwtFaults(values: ConfigValues): string[] {
  const allowLoopback = values['jwt.allowLoopback'] === true;
  const addresses = ['jwt.issuer', 'jwt.jwksUrl'] as const;
  const insecure = addresses.filter((path) => {
    const address = String(values[path]);
    return address.startsWith('http:') && !(allowLoopback && LOOPBACK.test(address));
  });
  const faults = insecure.map(
    (path) =>
      `${path} must begin with https: (by http it may only be on this machine, with jwt.allowLoopback), got ${JSON.stringify(values[path])}`,
  );
  if (values['jwt.issuer'] !== '' && values['jwt.audience'] === '') {
    faults.push('jwt.audience must be given with jwt.issuer: else tokens for other APIs were good');
  }
  return faults;
}

function unknownKeyFault(path: string): string[] {
  if (path in CONFIG_KEYS) return [];
  return [`unknown key ${path}, allowed are ${Object.keys(CONFIG_KEYS).join(', ')}`];
}

function valueFault(path: string, got: unknown, allowed: string): string {
  return `${path} must be ${allowed}, got ${JSON.stringify(got)}`;
}

function nested(values: ConfigValues): LonghaulConfig {
  const config: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(values)) {
    const [group, key] = path.split('.') as [string, string?];
    if (key === undefined) config[group] = value;
    else config[group] = { ...(config[group] as object | undefined), [key]: value };
  }
  return config as unknown as LonghaulConfig;
}
