const CALLS = 0;
const CRASH_AT = 1;
const CRASH_WHEN = 2;

const WHEN = { before: 1, after: 2 } as const;
export type CrashWhen = keyof typeof WHEN;

/**
 * Numbers the calls of one function across all of its environments, and holds the one crash point that is armed. It
 * lives in shared memory because the thread has to know before the call is made whether it dies.
 */
export class CallCounter {
  readonly shared: SharedArrayBuffer;
  readonly #cells: Int32Array;

  constructor(shared = new SharedArrayBuffer(3 * Int32Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#cells = new Int32Array(shared);
  }

  /** Number of the call about to be made. */
  next(): number {
    return Atomics.add(this.#cells, CALLS, 1) + 1;
  }

  reset(): void {
    Atomics.store(this.#cells, CALLS, 0);
    Atomics.store(this.#cells, CRASH_AT, 0);
  }

  arm(call: number, when: CrashWhen): void {
    Atomics.store(this.#cells, CRASH_WHEN, WHEN[when]);
    Atomics.store(this.#cells, CRASH_AT, call);
  }

  /** Whether the caller has to die here; true once, since a crash point goes off once. */
  goesOff(call: number, when: CrashWhen): boolean {
    if (Atomics.load(this.#cells, CRASH_WHEN) !== WHEN[when]) return false;
    return Atomics.compareExchange(this.#cells, CRASH_AT, call, 0) === call;
  }
}
