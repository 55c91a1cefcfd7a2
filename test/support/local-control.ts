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
