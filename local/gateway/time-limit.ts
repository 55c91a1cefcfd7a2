export const TIMED_OUT = Symbol('timed out');

/** The time an integration has from the moment its function begins. */
export class TimeLimit {
  readonly #limitMs: number;
  readonly #timedOut = Promise.withResolvers<typeof TIMED_OUT>();
  #timer: NodeJS.Timeout | undefined;

  constructor(limitMs: number) {
    this.#limitMs = limitMs;
  }

  readonly start = (): void => {
    this.#timer ??= setTimeout(this.#timedOut.resolve, this.#limitMs, TIMED_OUT);
  };

  async race<Value>(promise: Promise<Value>): Promise<Value | typeof TIMED_OUT> {
    try {
      return await Promise.race([promise, this.#timedOut.promise]);
    } finally {
      clearTimeout(this.#timer);
    }
  }
}
