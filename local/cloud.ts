import { cp, mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CONTROL_PATH, sendJson, serveControl } from './control/serve-control.ts';
import type { CreateKeys } from './create-keys.ts';
import { emulatorClients, type Endpoints } from './emulators/clients.ts';
import { createStorage } from './emulators/create-storage.ts';
import { Emulator } from './emulators/emulator.ts';
import type { QueueLevels } from './emulators/queue-levels.ts';
import { Refusals } from './emulators/refusals.ts';
import { EventBuses } from './event-buses/event-buses.ts';
import { eventSourcesOf } from './event-sources/event-sources.ts';
import type { QueueEventSource } from './event-sources/queue-event-source.ts';
import { restApi } from './gateway/api-model.ts';
import { Gateway } from './gateway/gateway.ts';
import { HttpServer } from './http-server.ts';
import { FunctionLog } from './lambda/function-log.ts';
import { Functions, newInvocation } from './lambda/functions.ts';
import { Monitoring } from './monitoring/monitoring.ts';
import { apiMetrics, lambdaMetrics, tableThrottle } from './monitoring/service-metrics.ts';
import { schedules } from './schedules/schedule.ts';
import { Scheduler } from './schedules/scheduler.ts';
import { SchedulerApi } from './schedules/scheduler-api.ts';
import { refuseSharedState, removeState, writeState, type CloudState } from './state-file.ts';
import { deploy, type Deployment } from './template/deployment.ts';
import { ACCOUNT, REGION } from './template/identity.ts';
import { readAssembly } from './template/read-assembly.ts';

export interface LocalCloudOptions {
  /** Directory `cdk synth` wrote; a promise lets the emulators start meanwhile. */
  readonly assembly: string | Promise<string>;
  /** Where `local.json`, `functions.log` and a copy of the assembly go. */
  readonly stateDirectory: string;
  /** Port of the API; a free one unless given. */
  readonly port?: number;
  /** Prints what functions and the API log. */
  readonly verbose?: boolean;
  /** Makes API keys once the tables are there; none are made unless given. */
  readonly createKeys?: CreateKeys;
}

export interface LocalCloud extends CloudState {
  stop(): Promise<void>;
}

/** Plays the cloud of a synthesized app on this machine, until it is stopped. */
export async function startLocalCloud(options: LocalCloudOptions): Promise<LocalCloud> {
  await mkdir(options.stateDirectory, { recursive: true });
  const stops: Stop[] = [];
  const stop = async () => {
    // What was started last may use what was started before it.
    for (const one of stops.splice(0).reverse()) await one();
  };
  try {
    const state = await start(options, stops);
    return { ...state, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

type Stop = () => Promise<void> | void;

/** Starts everything, and adds to `stops` how each part is stopped as soon as it runs. */
async function start(options: LocalCloudOptions, stops: Stop[]): Promise<CloudState> {
  const { stateDirectory } = options;
  const assembly = Promise.resolve(options.assembly);
  // Looked at below; until then a failed synth must not count as nobody's.
  assembly.catch(() => undefined);
  await refuseSharedState(stateDirectory);
  const server = await HttpServer.listen(options.port ?? 0);
  stops.push(() => server.stop());
  const [tables, queues] = (await Promise.all(
    ['dynamodb-thread.ts', 'queues-and-objects-thread.ts'].map(async (script) => {
      const emulator = await Emulator.start(new URL(`./emulators/${script}`, import.meta.url));
      stops.push(() => emulator.stop());
      return emulator;
    }),
  )) as [Emulator, Emulator];
  const busServer = await HttpServer.listen(0);
  stops.push(() => busServer.stop());
  const schedulerServer = await HttpServer.listen(0);
  stops.push(() => schedulerServer.stop());
  const endpoints = {
    dynamodb: tables.endpoint,
    sqs: queues.endpoint,
    s3: queues.endpoint,
    events: busServer.address,
    scheduler: schedulerServer.address,
  };
  const deployment = deploy(await readAssembly(await ownCopy(await assembly, stateDirectory)), {
    queues: queues.endpoint,
    gateway: server.address,
  });
  const buses = new EventBuses(deployment.ofType('AWS::Events::EventBus').map(({ name }) => name));
  busServer.handle((message, response) => buses.serve(message, response));
  const clients = emulatorClients(endpoints);
  stops.push(clients.destroy);
  await createStorage(deployment, clients);

  const monitoring = startMonitoring(deployment, queues, stops);
  const { functions, log } = await startFunctions(deployment, endpoints, {
    options,
    monitoring,
    stops,
  });
  const eventSources = eventSourcesOf(deployment, { clients, functions, queues });
  const invoke = (functionName: string, payload: string) =>
    functions.invoke(functionName, newInvocation(payload));
  const scheduler = new Scheduler(schedules(deployment), invoke);
  const groups = deployment.ofType('AWS::Scheduler::ScheduleGroup').map(({ name }) => name);
  const schedulerApi = new SchedulerApi(groups, scheduler);
  schedulerServer.handle((message, response, url) => schedulerApi.serve(message, response, url));
  const state = await describe({ deployment, endpoints, server }, options);
  serve(server, deployment, {
    functions,
    eventSources,
    scheduler,
    schedulerApi,
    log,
    buses,
    monitoring,
  });
  eventSources.forEach((source) => {
    source.start();
  });
  stops.push(async () => {
    scheduler.stop();
    await Promise.all(eventSources.map((source) => source.stop()));
  });
  scheduler.start();
  await writeState(stateDirectory, state);
  stops.push(async () => {
    await removeState(stateDirectory);
    await server.stop();
  });
  return state;
}

/** The functions of the template and their log, both watched. */
async function startFunctions(
  deployment: Deployment,
  endpoints: Endpoints,
  parts: {
    readonly options: LocalCloudOptions;
    readonly monitoring: Monitoring;
    readonly stops: Stop[];
  },
): Promise<{ readonly functions: Functions; readonly log: FunctionLog }> {
  const { monitoring, stops } = parts;
  const { stateDirectory, verbose = false } = parts.options;
  const log = new FunctionLog(join(stateDirectory, 'functions.log'), {
    alsoToConsole: verbose,
    onLine: (functionName, line) => {
      monitoring.line(functionName, line);
    },
  });
  stops.push(() => log.close());
  const functions = new Functions(deployment, endpoints, {
    log,
    refusalPort: await startRefusing(monitoring, stops),
    onEnd: (functionName, end) => {
      monitoring.measure(...lambdaMetrics(functionName, end));
    },
  });
  stops.push(() => functions.stop());
  return { functions, log };
}

/** Watches the queues of the template, and whatever it is told. */
function startMonitoring(deployment: Deployment, queues: Emulator, stops: Stop[]): Monitoring {
  const levelsOf = deployment.ofType('AWS::SQS::Queue').map(({ name }) => name);
  const monitoring = new Monitoring(
    deployment,
    async () => (await queues.ask({ levelsOf })) as QueueLevels[],
  );
  monitoring.start();
  stops.push(() => {
    monitoring.stop();
  });
  return monitoring;
}

/** Port of the server that refuses what is to be refused. */
async function startRefusing(monitoring: Monitoring, stops: Stop[]): Promise<number> {
  const server = await HttpServer.listen(0);
  stops.push(() => server.stop());
  const refusals = new Refusals(({ kind, ...refused }) => {
    monitoring.measure(tableThrottle(refused, kind));
  });
  server.handle((message, response, url) => refusals.serve(message, response, url));
  return Number(new URL(server.address).port);
}

/** Functions load their bundles whenever an environment starts; by then the original may be gone or another. */
async function ownCopy(assembly: string, stateDirectory: string): Promise<string> {
  const copy = join(stateDirectory, 'assembly');
  await rm(copy, { recursive: true, force: true });
  await cp(assembly, copy, { recursive: true });
  return copy;
}

function serve(
  server: HttpServer,
  deployment: Deployment,
  parts: {
    readonly functions: Functions;
    readonly eventSources: readonly QueueEventSource[];
    readonly scheduler: Scheduler;
    readonly schedulerApi: SchedulerApi;
    readonly log: FunctionLog;
    readonly buses: EventBuses;
    readonly monitoring: Monitoring;
  },
): void {
  const { functions, log, monitoring, ...others } = parts;
  const controlled = { pools: functions.pools, monitoring, ...others };
  const api = restApi(deployment);
  const gateway =
    api &&
    new Gateway(api, deployment, {
      invoke: (name, request) => functions.invoke(name, request),
      onAnswer: (status) => {
        monitoring.measure(...apiMetrics(api, status));
      },
      log: (line) => {
        log.access(api.name, line);
      },
    });
  server.handle(async (message, response, url) => {
    if (url.pathname === CONTROL_PATH || url.pathname.startsWith(`${CONTROL_PATH}/`)) {
      await serveControl(controlled, message, { response, url });
    } else if (gateway) {
      await gateway.serve(message, response, url);
    } else {
      sendJson(response, 404, { message: 'the template has no RestApi' });
    }
  });
}

async function describe(
  parts: {
    readonly deployment: Deployment;
    readonly endpoints: Endpoints;
    readonly server: HttpServer;
  },
  { createKeys }: LocalCloudOptions,
): Promise<CloudState> {
  const { deployment, endpoints, server } = parts;
  const named = (...types: string[]) =>
    Object.fromEntries(deployment.ofType(...types).map(({ logicalId, name }) => [logicalId, name]));
  const queues = named('AWS::SQS::Queue');
  const stage = restApi(deployment)?.stage ?? '';
  return {
    pid: process.pid,
    apiUrl: `${server.address}/${stage}`,
    controlUrl: `${server.address}${CONTROL_PATH}`,
    endpoints,
    region: REGION,
    keys: (await createKeys?.({ outputs: deployment.outputs, endpoints })) ?? {},
    outputs: deployment.outputs,
    tables: named('AWS::DynamoDB::Table', 'AWS::DynamoDB::GlobalTable'),
    queues,
    queueUrls: Object.fromEntries(
      Object.entries(queues).map(([id, name]) => [id, `${endpoints.sqs}/${ACCOUNT}/${name}`]),
    ),
    buckets: named('AWS::S3::Bucket'),
  };
}
