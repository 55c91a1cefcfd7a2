import type { Schedule } from './schedule.ts';

/** Longer timers overflow; who wakes early looks again. */
const LONGEST_TIMER_MS = 86_400_000;

type InvokeFunction = (functionName: string, payload: string) => Promise<unknown>;

/** Fires schedules: rates of the template once at the start, all when they are due, and whenever asked to. */
export class Scheduler {
  readonly #schedules: Map<string, Schedule>;
  readonly #invoke: InvokeFunction;
  readonly #timers = new Map<string, NodeJS.Timeout>();
  #isRunning = false;

  constructor(schedules: readonly Schedule[], invoke: InvokeFunction) {
    this.#schedules = new Map(schedules.map((schedule) => [schedule.name, schedule]));
    this.#invoke = invoke;
  }

  start(): void {
    this.#isRunning = true;
    for (const [key, schedule] of this.#schedules) {
      if (schedule.enabled && schedule.intervalMs !== undefined)
        void this.#fire(schedule, new Date());
      this.#arm(key, schedule);
    }
  }

  /** Makes a schedule, or puts it in the place of the one of this key. */
  set(key: string, schedule: Schedule): void {
    this.#schedules.set(key, schedule);
    this.#arm(key, schedule);
  }

  remove(key: string): void {
    this.#schedules.delete(key);
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
  }

  /** Fires the schedules whose name or logical id contains `name`, or all of them, as if it were `at`. */
  fireNow(
    name = '',
    at = new Date(),
  ): { readonly fired: string[]; readonly done: Promise<unknown> } {
    const wanted = name.toLowerCase();
    const chosen = [...this.#schedules.values()].filter((schedule) =>
      [schedule.name, schedule.logicalId].some((own) => own.toLowerCase().includes(wanted)),
    );
    const done = Promise.all(chosen.map((schedule) => this.#fire(schedule, at)));
    return { fired: chosen.map((schedule) => schedule.name), done };
  }

  stop(): void {
    this.#isRunning = false;
    for (const timer of this.#timers.values()) clearTimeout(timer);
    this.#timers.clear();
  }

  #arm(key: string, schedule: Schedule, after = Date.now()): void {
    clearTimeout(this.#timers.get(key));
    this.#timers.delete(key);
    const at = nextOf(schedule, after);
    if (!this.#isRunning || !schedule.enabled || at === undefined) return;
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(0, at - Date.now()));
    const timer = setTimeout(() => {
      if (Date.now() < at) {
        this.#arm(key, schedule, after);
        return;
      }
      void this.#fire(schedule, new Date(at));
      this.#arm(key, schedule, at);
    }, wait);
    this.#timers.set(key, timer);
  }

  #fire(schedule: Schedule, at: Date): Promise<unknown> {
    return Promise.all(
      schedule.targets.map(({ event, functionName }) => this.#invoke(functionName, event(at))),
    );
  }
}

function nextOf(schedule: Schedule, after: number): number | undefined {
  const { intervalMs, nextAt, startAt = -Infinity, endAt = Infinity } = schedule;
  // A run at the very start counts.
  const behind = Math.max(after, startAt - 1);
  const next = intervalMs === undefined ? nextAt?.(behind) : Math.max(after + intervalMs, startAt);
  const first = intervalMs !== undefined && startAt > after ? startAt : next;
  return first === undefined || first > endAt ? undefined : first;
}
