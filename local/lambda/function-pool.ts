import { CallLedger } from './call-ledger.ts';
import {
  ExecutionEnvironment,
  type EnvironmentOptions,
  type Invocation,
  type InvocationOutcome,
} from './execution-environment.ts';
import type { FunctionConfig } from './function-config.ts';
import { PoolGrowth, STARTED_AT_ONCE } from './pool-growth.ts';

/** What Lambda measures of an invocation. */
export interface InvocationEnd {
  readonly kind: 'succeeded' | 'failed' | 'throttled';
  /** Of the handler, without the wait for an environment. */
  readonly durationMs: number;
}

/** What all functions have in common. */
export interface PoolShared extends Pick<
  EnvironmentOptions,
  'emulatorPorts' | 'refusalPort' | 'log'
> {
  /** Told how each invocation ended. */
  readonly onEnd: (functionName: string, end: InvocationEnd) => void;
}

interface Waiting {
  readonly invocation: Invocation;
  readonly settle: (outcome: Promise<InvocationOutcome>) => void;
}

const ACCOUNT_CONCURRENCY = 1000;
const IDLE_LIMIT_MS = 5 * 60_000;

const THROTTLED: InvocationOutcome = {
  ok: false,
  error: { errorType: 'TooManyRequestsException', errorMessage: 'Rate Exceeded.' },
};

/** The execution environments of one function. */
export class FunctionPool {
  readonly config: FunctionConfig;
  readonly ledger = new CallLedger((isArmed) => {
    this.environments.forEach((environment) => {
      environment.arm(isArmed);
    });
  });
  /** Takes the place of what the template says; undefined: nothing does. */
  reservedConcurrency: number | undefined;
  readonly #shared: PoolShared;
  readonly #environments = new Set<ExecutionEnvironment>();
  readonly #waiting: Waiting[] = [];
  #inFlight = 0;
  readonly #growth = new PoolGrowth(() => {
    // One at a time: while it starts, it is the reason why nothing is free.
    if (this.environments.every(({ state }) => state !== 'starting')) this.#serve(this.#start());
    this.#assign();
  });
  #stopped = false;

  constructor(config: FunctionConfig, shared: PoolShared) {
    this.config = config;
    this.#shared = shared;
  }

  get environments(): readonly ExecutionEnvironment[] {
    return [...this.#environments];
  }

  /** Requests that wait for an environment. */
  get backlog(): number {
    return this.#waiting.length;
  }

  /** Invokes the function; resolves with an error, never rejects. */
  async invoke(invocation: Invocation): Promise<InvocationOutcome> {
    if (this.#stopped || this.#inFlight >= this.#concurrencyLimit) {
      this.#shared.onEnd(this.config.name, { kind: 'throttled', durationMs: 0 });
      return THROTTLED;
    }
    this.#inFlight += 1;
    let startedAt = Date.now();
    const onStart = (): void => {
      startedAt = Date.now();
      invocation.onStart?.();
    };
    try {
      const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
      this.#waiting.push({ invocation: { ...invocation, onStart }, settle: resolve });
      this.#assign();
      const outcome = await promise;
      const kind = outcome.ok ? 'succeeded' : 'failed';
      this.#shared.onEnd(this.config.name, { kind, durationMs: Date.now() - startedAt });
      return outcome;
    } finally {
      this.#inFlight -= 1;
    }
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#growth.expect(false);
    this.#waiting.splice(0).forEach(({ settle }) => {
      settle(Promise.resolve(THROTTLED));
    });
    await Promise.all(this.environments.map((environment) => environment.crash()));
  }

  get #concurrencyLimit(): number {
    return this.reservedConcurrency ?? this.config.reservedConcurrency ?? ACCOUNT_CONCURRENCY;
  }

  #assign(): void {
    while (this.#waiting.length > 0) {
      const environment = this.#free() ?? this.#startIfCheap();
      if (!environment) break;
      this.#serve(environment);
    }
    this.#growth.expect(this.#waiting.length > 0);
    this.#endUnneeded();
  }

  #serve(environment: ExecutionEnvironment): void {
    const next = this.#waiting.shift();
    if (!next) return;
    const outcome = environment.invoke(next.invocation);
    next.settle(outcome);
    void outcome.then(() => {
      this.#growth.restart();
      this.#assign();
    });
  }

  #free(): ExecutionEnvironment | undefined {
    return this.environments.find(({ hasRoom }) => hasRoom);
  }

  #startIfCheap(): ExecutionEnvironment | undefined {
    return this.#environments.size < STARTED_AT_ONCE ? this.#start() : undefined;
  }

  #start(): ExecutionEnvironment {
    const environment = new ExecutionEnvironment({
      ...this.#shared,
      config: this.config,
      isArmed: this.ledger.isArmed,
      onCall: (call, { id }) =>
        this.ledger.record(call, { environment: id, requestId: call.requestId ?? null }),
      onEnd: (ended) => {
        this.#environments.delete(ended);
      },
    });
    this.#environments.add(environment);
    return environment;
  }

  #endUnneeded(): void {
    for (const environment of this.#environments) {
      const unused = environment.state === 'idle' && !environment.current;
      if (unused && Date.now() - environment.idleSince > IDLE_LIMIT_MS) void environment.crash();
    }
  }
}
