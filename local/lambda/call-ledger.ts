import { CallCounter, type CrashWhen } from './call-counter.ts';
import type { EmulatorCall } from './thread-protocol.ts';

export interface RecordedCall extends EmulatorCall {
  readonly at: number;
  readonly environment: string;
  /** Undefined for a call made outside any invocation. */
  readonly requestId: string | undefined;
}

// Enough for a crash test; a load test wants the counts, which are complete.
const KEPT_CALLS = 20_000;

/** The calls one function made to the emulators since the last reset. */
export class CallLedger {
  readonly counter = new CallCounter();
  readonly #calls: RecordedCall[] = [];
  readonly #counts = new Map<string, number>();

  record(call: EmulatorCall, from: Pick<RecordedCall, 'environment' | 'requestId'>): void {
    const key = `${call.service}:${call.operation}`;
    if (call.service !== 's3') this.#count(key);
    else this.#count(`s3:${call.operation.split(' ')[0] ?? ''}`);
    if (this.#calls.length < KEPT_CALLS) this.#calls.push({ ...call, ...from, at: Date.now() });
  }

  reset(): void {
    this.counter.reset();
    this.#calls.length = 0;
    this.#counts.clear();
  }

  arm(call: number, when: CrashWhen): void {
    this.counter.arm(call, when);
  }

  report() {
    return { counts: Object.fromEntries(this.#counts), calls: [...this.#calls] };
  }

  #count(key: string): void {
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + 1);
  }
}
