import type { StatusChange } from '../../src/core/ports/event-bus.ts';

/** An execution environment with the bodies of the queue messages it was given. */
export interface RunningEnvironment {
  readonly id: string;
  readonly messages: readonly string[];
}

/** Requests to the queues that brought or deleted messages. */
export interface QueueReads {
  readonly receives: number;
  readonly deletes: number;
}

/** A change of status that was put on an event bus. */
export interface PutEvent {
  readonly bus: string;
  readonly source: string;
  readonly detailType: string;
  readonly detail: StatusChange;
}

/** A schedule of EventBridge Scheduler, as it was made. */
export interface Trigger {
  /** `group/name` */
  readonly Key: string;
  readonly State: string;
  readonly ScheduleExpression: string;
  readonly Target: { readonly Input: string };
}

/** What an alarm of the template says, or the one over all of them. */
export interface AlarmReport {
  /** The heading of its section in the runbook. */
  readonly name: string;
  readonly state: 'OK' | 'ALARM' | 'INSUFFICIENT_DATA';
  readonly value?: number | null;
  readonly threshold?: number;
  readonly periods?: { readonly needed: number; readonly breaching: number };
  readonly because?: readonly string[];
  readonly tells?: boolean;
}

/** What an hour of a metric came to. */
export interface MetricReport {
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly sum: number;
  readonly count: number;
  /** The newest value. */
  readonly last: number;
}

interface CallReport {
  readonly counts: Readonly<Record<string, number>>;
  readonly calls: readonly { readonly service: string; readonly operation: string }[];
}

/** The routes under `/_local` of the local cloud, by what a test wants. */
export class LocalControl {
  readonly #url: string;

  constructor(url: string) {
    this.#url = url;
  }

  /** The environment of `name` dies right before or after its `call`-th AWS request from now on; once. */
  async crashAt(name: string, call: number, when: 'before' | 'after'): Promise<void> {
    await this.resetCalls(name);
    await this.#send('POST', '/crash-points', { function: name, call, when });
  }

  /** Starts the count of AWS requests anew. */
  async resetCalls(name: string): Promise<void> {
    await this.#send('DELETE', `/calls?function=${encodeURIComponent(name)}`);
  }

  /** AWS requests of a function since the last reset, in order, as `service:operation`. */
  async calls(name: string): Promise<string[]> {
    const { calls } = await this.#report(name);
    return calls.map(({ service, operation }) => `${service}:${operation}`);
  }

  /** How many of each there were. */
  async callCounts(name: string): Promise<Readonly<Record<string, number>>> {
    return (await this.#report(name)).counts;
  }

  /** What was put on event buses so far, in order. */
  async events(): Promise<readonly PutEvent[]> {
    const { events } = (await this.#send('GET', '/events')) as { events: PutEvent[] };
    return events;
  }

  /** Fires what EventBridge Scheduler has under a name that contains `name`, and waits until its function has ended. */
  async fire(name: string, at: string): Promise<readonly string[]> {
    const body = { name, at, wait: true };
    const answer = await this.#send('POST', '/schedules/fire', body);
    return (answer as { fired: readonly string[] }).fired;
  }

  /** Schedules that functions have made. */
  async triggers(): Promise<readonly Trigger[]> {
    return ((await this.#send('GET', '/schedules')) as { schedules: Trigger[] }).schedules;
  }

  /** Invokes a function past everything, and waits for its end. */
  async invoke(name: string, event: unknown): Promise<unknown> {
    return this.#send('POST', '/functions/invoke', { function: name, event });
  }

  /** What reading its queues has cost so far. */
  async queueReads(): Promise<QueueReads> {
    const { eventSources } = (await this.#send('GET', '/event-sources')) as {
      eventSources: { receives: number; emptyReceives: number; deletes: number }[];
    };
    const sum = (of: (source: (typeof eventSources)[number]) => number) =>
      eventSources.reduce((total, source) => total + of(source), 0);
    return {
      receives: sum(({ receives, emptyReceives }) => receives - emptyReceives),
      deletes: sum(({ deletes }) => deletes),
    };
  }

  /** Takes down every environment of a function at once, or of all functions, with whatever they do. */
  async crashAll(name?: string): Promise<void> {
    await this.#send('POST', '/environments/crash', name === undefined ? {} : { function: name });
  }

  async crash({ id }: RunningEnvironment): Promise<void> {
    await this.#send('POST', `/environments/${id}/crash`, {});
  }

  /** Environments of a function that are at work on an invocation. */
  async busyEnvironments(name: string): Promise<RunningEnvironment[]> {
    const { environments } = (await this.#send('GET', '/environments')) as {
      environments: (RunningEnvironment & { name: string; requestId: string | null })[];
    };
    return environments.filter((one) => one.name === name && one.requestId !== null);
  }

  /** Ids of the processes of a function. */
  async processesOf(name: string): Promise<number[]> {
    const { environments } = (await this.#send('GET', '/environments')) as {
      environments: { name: string; pid: number }[];
    };
    return environments.filter((one) => one.name === name).map(({ pid }) => pid);
  }

  /** No queue whose name contains `queue` is read until `resumeQueues`: submitted jobs stay queued. */
  async pauseQueues(queue?: string): Promise<void> {
    await this.#send('POST', '/event-sources/pause', { queue });
  }

  async resumeQueues(queue?: string): Promise<void> {
    await this.#send('POST', '/event-sources/resume', { queue });
  }

  /** What the alarms say now. */
  async alarms(): Promise<readonly AlarmReport[]> {
    const { alarms } = (await this.#send('GET', '/alarms')) as { alarms: AlarmReport[] };
    const heading = (name: string) => name.replace(/^.*\//, '');
    return alarms.map(({ because, ...alarm }) => ({
      ...alarm,
      name: heading(alarm.name),
      ...(because && { because: because.map(heading) }),
    }));
  }

  async alarm(name: string): Promise<AlarmReport> {
    const found = (await this.alarms()).find((alarm) => alarm.name === name);
    if (!found) throw new Error(`the template has no alarm ${name}`);
    return found;
  }

  /** What was measured of the metrics of this namespace in the last hour. */
  async metrics(namespace: string): Promise<readonly MetricReport[]> {
    const answer = await this.#send('GET', `/metrics?namespace=${encodeURIComponent(namespace)}`);
    return (answer as { metrics: MetricReport[] }).metrics;
  }

  /** Nothing has been measured so far. */
  async forgetMetrics(): Promise<void> {
    await this.#send('DELETE', '/metrics');
  }

  /** The next calls of a function to a service get the answer that AWS gives when it throttles. */
  async refuse(
    name: string,
    refusal: { readonly service: string; readonly operation?: string; readonly times: number },
  ): Promise<void> {
    await this.#send('POST', '/refusals', { function: name, ...refusal });
  }

  async refuseNoMore(): Promise<void> {
    await this.#send('DELETE', '/refusals');
  }

  /** How many invocations of a function there may be at the same time; `null`: as the template says. */
  async reserveConcurrency(name: string, reserved: number | null): Promise<void> {
    await this.#send('POST', '/functions/concurrency', { function: name, reserved });
  }

  /** Starts what the schedules of the template whose names contain `name` start, and waits for nothing. */
  async start(name: string): Promise<void> {
    await this.#send('POST', '/schedules/fire', { name });
  }

  async #report(name: string): Promise<CallReport> {
    return (await this.#send('GET', `/calls?function=${encodeURIComponent(name)}`)) as CallReport;
  }

  async #send(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(`${this.#url}${path}`, {
      method,
      ...(body !== undefined && {
        body: JSON.stringify(body),
        headers: { 'content-type': 'application/json' },
      }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
    return JSON.parse(text) as unknown;
  }
}
