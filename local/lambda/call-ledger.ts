import { VERDICTS, type EmulatorCall, type Verdict } from './environment-protocol.ts';

export interface RecordedCall extends Omit<EmulatorCall, 'requestId'> {
  /** Position among the calls of the function since the last reset, from 1. */
  readonly number: number;
  readonly at: number;
  readonly environment: string;
  /** Null for a call made outside any invocation. */
  readonly requestId: string | null;
}

export type CrashWhen = 'before' | 'after';

/** Calls that are to be refused, the next ones first. */
export interface Refusal {
  readonly service: string;
  /** Undefined: every operation of the service. */
  readonly operation?: string;
  readonly times: number;
}

interface CrashPoint {
  readonly call: number;
  readonly when: CrashWhen;
}

// Enough for a crash test; a load test wants the counts, which are complete.
const KEPT_CALLS = 20_000;

/**
 * The calls one function made to the emulators since the last reset, the crash point that waits for one of them, and which of the
 * next ones are refused.
 */
export class CallLedger {
  readonly #onArmed: (isArmed: boolean) => void;
  readonly #calls: RecordedCall[] = [];
  readonly #counts = new Map<string, number>();
  #last = 0;
  #crashPoint: CrashPoint | undefined;
  #refusals: readonly Refusal[] = [];

  constructor(onArmed: (isArmed: boolean) => void) {
    this.#onArmed = onArmed;
  }

  get isArmed(): boolean {
    return this.#crashPoint !== undefined || this.#refusals.length > 0;
  }

  /** Records a call; the verdict matters to an environment that asked before it made the call. */
  record(
    { service, operation }: EmulatorCall,
    from: Pick<RecordedCall, 'environment' | 'requestId'>,
  ): Verdict {
    this.#last += 1;
    const counted = `${service}:${service === 's3' ? (operation.split(' ')[0] ?? '') : operation}`;
    this.#counts.set(counted, (this.#counts.get(counted) ?? 0) + 1);
    if (this.#calls.length < KEPT_CALLS) {
      this.#calls.push({ number: this.#last, service, operation, ...from, at: Date.now() });
    }
    const verdict = this.#verdict();
    return verdict === VERDICTS.go && this.#isRefused({ service, operation })
      ? VERDICTS.refuse
      : verdict;
  }

  /** Forgets the calls and the crash point. */
  reset(): void {
    this.#last = 0;
    this.#calls.length = 0;
    this.#counts.clear();
    this.#setCrashPoint(undefined);
  }

  /** Makes the environment die that makes the call of this number; once. */
  arm(call: number, when: CrashWhen): void {
    this.#setCrashPoint({ call, when });
  }

  /** Has calls refused, after those that were to be refused already. */
  refuse(refusal: Refusal): void {
    this.#setRefusals([...this.#refusals, refusal]);
  }

  refuseNoMore(): void {
    this.#setRefusals([]);
  }

  report() {
    return { counts: Object.fromEntries(this.#counts), calls: [...this.#calls] };
  }

  #verdict(): Verdict {
    if (this.#crashPoint?.call !== this.#last) return VERDICTS.go;
    const { when } = this.#crashPoint;
    this.#setCrashPoint(undefined);
    return when === 'before' ? VERDICTS.dieBefore : VERDICTS.dieAfter;
  }

  #isRefused(call: Pick<EmulatorCall, 'service' | 'operation'>): boolean {
    const refusal = this.#refusals.find(
      ({ service, operation }) =>
        service === call.service && (operation ?? call.operation) === call.operation,
    );
    if (!refusal) return false;
    const left = { ...refusal, times: refusal.times - 1 };
    const others = this.#refusals.map((one) => (one === refusal ? left : one));
    this.#setRefusals(others.filter(({ times }) => times > 0));
    return true;
  }

  #setRefusals(refusals: readonly Refusal[]): void {
    this.#refusals = refusals;
    this.#onArmed(this.isArmed);
  }

  #setCrashPoint(point: CrashPoint | undefined): void {
    this.#crashPoint = point;
    this.#onArmed(this.isArmed);
  }
}
