import type { Schedule } from './schedule.ts';

/** Fires schedules: once at the start, then at their rate, and whenever asked to. */
export class Scheduler {
  readonly #schedules: readonly Schedule[];
  readonly #invoke: (functionName: string, payload: string) => void;
  readonly #timers: NodeJS.Timeout[] = [];

  constructor(
    schedules: readonly Schedule[],
    invoke: (functionName: string, payload: string) => void,
  ) {
    this.#schedules = schedules;
    this.#invoke = invoke;
  }

  start(): void {
    for (const schedule of this.#schedules.filter(({ enabled }) => enabled)) {
      this.#fire(schedule);
      this.#timers.push(
        setInterval(() => {
          this.#fire(schedule);
        }, schedule.intervalMs),
      );
    }
  }

  /** Fires the schedules whose name or logical id contains `name`, or all of them; returns their names. */
  fireNow(name = ''): string[] {
    const wanted = name.toLowerCase();
    const chosen = this.#schedules.filter((schedule) =>
      [schedule.name, schedule.logicalId].some((own) => own.toLowerCase().includes(wanted)),
    );
    chosen.forEach((schedule) => {
      this.#fire(schedule);
    });
    return chosen.map((schedule) => schedule.name);
  }

  stop(): void {
    this.#timers.splice(0).forEach(clearInterval);
  }

  #fire(schedule: Schedule): void {
    for (const { event, functionName } of schedule.targets) {
      this.#invoke(functionName, event(new Date()));
    }
  }
}
