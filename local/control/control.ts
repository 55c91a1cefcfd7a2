import type { EventBuses } from '../event-buses/event-buses.ts';
import type { QueueEventSource } from '../event-sources/queue-event-source.ts';
import type { ExecutionEnvironment } from '../lambda/execution-environment.ts';
import type { FunctionPool } from '../lambda/function-pool.ts';
import type { SchedulerApi } from '../schedules/scheduler-api.ts';
import type { Scheduler } from '../schedules/scheduler.ts';
import { newInvocation } from '../lambda/functions.ts';
import type { Monitoring } from '../monitoring/monitoring.ts';
import { ControlError, type ControlRequest, text, whole } from './control-request.ts';
import { FAULT_ACTIONS } from './fault-actions.ts';
import { readableName } from './find-functions.ts';
import { poolNamed, poolsNamed } from './find-pools.ts';

/** The parts of the cloud that tests and the demo may look into and break. */
export interface Controlled {
  readonly pools: readonly FunctionPool[];
  readonly eventSources: readonly QueueEventSource[];
  readonly scheduler: Scheduler;
  readonly schedulerApi: SchedulerApi;
  readonly buses: EventBuses;
  readonly monitoring: Monitoring;
}

type Action = (controlled: Controlled, request: ControlRequest) => unknown;

const ACTIONS: Readonly<Record<string, Action>> = {
  'GET /environments': ({ pools }) => ({ environments: pools.flatMap(describeEnvironments) }),
  'POST /environments/crash': async ({ pools }, { body }) => {
    const chosen =
      body['function'] === undefined ? pools : poolsNamed(pools, text(body, 'function'));
    return crash(chosen.flatMap(({ environments }) => environments));
  },
  'GET /events': ({ buses }) => ({ events: buses.events }),
  'GET /event-sources': ({ eventSources }) => ({
    eventSources: eventSources.map((source) => source.report()),
  }),
  'POST /event-sources/pause': async ({ eventSources }, { body }) => {
    const chosen = sourcesNamed(eventSources, body);
    await Promise.all(chosen.map((source) => source.pause()));
    return { paused: chosen.map(({ mapping }) => mapping.queueName) };
  },
  'POST /event-sources/resume': ({ eventSources }, { body }) => {
    const chosen = sourcesNamed(eventSources, body);
    chosen.forEach((source) => {
      source.resume();
    });
    return { resumed: chosen.map(({ mapping }) => mapping.queueName) };
  },
  'GET /schedules': ({ schedulerApi }) => ({ schedules: schedulerApi.made }),
  'POST /schedules/fire': async ({ scheduler }, { body }) => {
    const at = body['at'] === undefined ? new Date() : new Date(text(body, 'at'));
    if (Number.isNaN(at.getTime()))
      throw new ControlError(400, `at must be an instant, got ${JSON.stringify(body['at'])}`);
    const name = body['name'] === undefined ? '' : text(body, 'name');
    const { fired, done } = scheduler.fireNow(name, at);
    // Of functions that take long nobody waits for the end unless asked to.
    if (body['wait'] === true) await done;
    return { fired };
  },
  'POST /functions/invoke': async ({ pools }, { body }) => {
    const payload = JSON.stringify(body['event'] ?? null);
    return poolNamed(pools, text(body, 'function')).invoke(newInvocation(payload));
  },
  'POST /crash-points': ({ pools }, { body }) => {
    const pool = poolNamed(pools, text(body, 'function'));
    const call = whole(body, 'call', 1);
    const when = body['when'];
    if (when !== 'before' && when !== 'after') {
      throw new ControlError(400, `when must be before or after, got ${String(when)}`);
    }
    pool.ledger.arm(call, when);
    return { function: pool.config.logicalId, call, when };
  },
  'GET /calls': ({ pools }, { query }) => {
    const pool = poolNamed(pools, query.get('function') ?? '');
    return { function: pool.config.logicalId, ...pool.ledger.report() };
  },
  'DELETE /calls': ({ pools }, { query }) => {
    const chosen = query.has('function') ? poolsNamed(pools, query.get('function') ?? '') : pools;
    chosen.forEach(({ ledger }) => {
      ledger.reset();
    });
    return { reset: chosen.map(({ config }) => config.logicalId) };
  },
  'GET /alarms': async ({ monitoring }) => ({ alarms: await monitoring.alarms() }),
  'GET /metrics': async ({ monitoring }, { query }) => ({
    metrics: await monitoring.metrics({
      ...(query.has('namespace') && { namespace: query.get('namespace') ?? '' }),
      ...(query.has('name') && { name: query.get('name') ?? '' }),
    }),
  }),
  'DELETE /metrics': ({ monitoring }) => {
    monitoring.forget();
    return {};
  },
  ...FAULT_ACTIONS,
};

/**
 * Carries out one control request.
 * @throws ControlError when there is no such route, function, environment or queue.
 */
export async function control(controlled: Controlled, request: ControlRequest): Promise<unknown> {
  const [, id] = /^\/environments\/([^/]+)\/crash$/.exec(request.path) ?? [];
  if (request.method === 'POST' && id !== undefined) return crashOne(controlled.pools, id);
  const action = ACTIONS[`${request.method} ${request.path}`];
  if (action) return action(controlled, request);
  const known = [...Object.keys(ACTIONS), 'POST /environments/{id}/crash'].join(', ');
  throw new ControlError(
    404,
    `unknown control route ${request.method} ${request.path}; known: ${known}`,
  );
}

function describeEnvironments({ config, environments }: FunctionPool) {
  return environments.map((environment) => ({
    id: environment.id,
    pid: environment.pid ?? null,
    function: config.logicalId,
    name: readableName(config.path),
    state: environment.current && environment.state === 'idle' ? 'busy' : environment.state,
    startedAt: new Date(environment.startedAt).toISOString(),
    requestId: environment.current?.requestId ?? null,
    messages: messageBodies(environment.current?.payload),
  }));
}

/** Bodies of the queue messages an invocation was given. */
function messageBodies(payload: string | undefined): string[] {
  if (payload?.includes('"aws:sqs"') !== true) return [];
  const { Records = [] } = JSON.parse(payload) as { Records?: { body?: string }[] };
  return Records.map(({ body = '' }) => body);
}

async function crashOne(pools: readonly FunctionPool[], id: string) {
  const all = pools.flatMap(({ environments }) => environments);
  const environment = all.find((candidate) => candidate.id === id);
  if (!environment) throw new ControlError(404, `no environment ${id}`);
  return crash([environment]);
}

async function crash(environments: readonly ExecutionEnvironment[]) {
  await Promise.all(environments.map((environment) => environment.crash()));
  return { crashed: environments.map(({ id }) => id) };
}

function sourcesNamed(
  sources: readonly QueueEventSource[],
  body: ControlRequest['body'],
): readonly QueueEventSource[] {
  if (body['queue'] === undefined) return sources;
  const wanted = text(body, 'queue').toLowerCase();
  const found = sources.filter(({ mapping }) => mapping.queueName.toLowerCase().includes(wanted));
  if (found.length > 0) return found;
  const known = sources.map(({ mapping }) => mapping.queueName).join(', ');
  throw new ControlError(404, `no event source of queue ${wanted}; known: ${known}`);
}
