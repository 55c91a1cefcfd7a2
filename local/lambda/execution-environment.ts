import { fork, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createInterface } from 'node:readline';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { deathOf, describeDeath, killed, timedOut } from './death.ts';
import {
  CALLS_FD,
  type EmulatorCall,
  type FromEnvironment,
  type FunctionError,
  type ToEnvironment,
  type Verdict,
} from './environment-protocol.ts';
import type { FunctionConfig } from './function-config.ts';
import type { FunctionLog } from './function-log.ts';

export interface Invocation {
  readonly requestId: string;
  /** The event as JSON. */
  readonly payload: string;
  readonly traceId: string;
  /** Told when the handler begins: before that it waits for an environment, which on AWS it would not. */
  readonly onStart?: () => void;
  /** Receives a streamed answer piece by piece; the next one comes when this one has been passed on. */
  readonly onChunk?: (chunk: Uint8Array) => Promise<void>;
  /** Aborted when nobody reads the streamed answer any more. */
  readonly abandoned?: AbortSignal;
}

export type InvocationOutcome =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly error: FunctionError };

export interface EnvironmentOptions {
  readonly config: FunctionConfig;
  readonly emulatorPorts: Readonly<Record<number, string>>;
  readonly refusalPort: number;
  readonly log: FunctionLog;
  readonly isArmed: boolean;
  readonly onCall: (call: EmulatorCall, environment: ExecutionEnvironment) => Verdict;
  readonly onEnd: (environment: ExecutionEnvironment) => void;
}

type State = 'starting' | 'idle' | 'busy' | 'ended';

// Lambda allows ten seconds of initialisation; a loaded laptop may need more than Lambda does.
const INIT_LIMIT_MS = 30_000;
const RESPONSE_LIMIT_BYTES = 6_291_556;
const SCRIPT = fileURLToPath(new URL('./environment-process.ts', import.meta.url));

interface Run {
  readonly invocation: Invocation;
  readonly settle: (outcome: InvocationOutcome) => void;
}

/**
 * One execution environment: a process that serves one invocation at a time until it dies or is no longer needed. A
 * thread would take as long to start and as much memory, but one that runs out of memory can take the others with it.
 *
 * A function that streams gets one process for all its invocations, which wait more than they work: on AWS each has an
 * environment of its own, here a hundred open streams would take a hundred times 60 MB. They die together.
 */
export class ExecutionEnvironment {
  readonly id = randomUUID().slice(0, 8);
  readonly startedAt = Date.now();
  idleSince = Date.now();
  state: State = 'starting';

  readonly #options: EnvironmentOptions;
  readonly #process: ChildProcess;
  readonly #ready = Promise.withResolvers<undefined>();
  readonly #ended = Promise.withResolvers<undefined>();
  /** Invocations under way by request id. */
  readonly #runs = new Map<string, Run>();
  /** Why the process is about to end, when that is known before it has. */
  #causeOfDeath: FunctionError | undefined;

  constructor(options: EnvironmentOptions) {
    this.#options = options;
    const { config, log } = options;
    this.#process = fork(SCRIPT, {
      env: config.environment,
      execArgv: [`--max-old-space-size=${config.memoryMb}`],
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'],
    });
    log.follow(this.#process, config, this.id);
    this.#answerCalls(this.#process.stdio[CALLS_FD] as Duplex);
    this.#process.on('message', (message: FromEnvironment) => {
      this.#hear(message);
    });
    this.#process.on('close', (code, signal) => {
      this.#end(this.#causeOfDeath ?? deathOf(code, signal));
    });
    const { directory, handler, memoryMb } = config;
    const { emulatorPorts, refusalPort } = options;
    const own = { functionName: config.name, functionArn: config.arn, memoryMb };
    this.#tell({ kind: 'start', directory, handler, emulatorPorts, refusalPort, ...own });
    if (options.isArmed) this.arm(true);
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** What it works at, or one of several. */
  get current(): Invocation | undefined {
    return this.#runs.values().next().value?.invocation;
  }

  /** Whether it takes another invocation. */
  get hasRoom(): boolean {
    return this.state !== 'ended' && (this.#runs.size === 0 || this.#options.config.streams);
  }

  /** Runs one invocation; resolves with an error, never rejects. */
  async invoke(invocation: Invocation): Promise<InvocationOutcome> {
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    this.#runs.set(invocation.requestId, { invocation, settle: resolve });
    const initTimer = this.#killAfter(INIT_LIMIT_MS, 'initialisation timed out');
    await this.#ready.promise;
    clearTimeout(initTimer);
    if (this.#hasEnded()) return promise;
    this.state = 'busy';
    invocation.onStart?.();
    const { timeoutSeconds } = this.#options.config;
    const limit = `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`;
    const timer = this.#killAfter(timeoutSeconds * 1000, limit);
    const { payload, requestId, traceId } = invocation;
    const deadlineAt = Date.now() + timeoutSeconds * 1000;
    this.#tell({ kind: 'invoke', requestId, payload, traceId, deadlineAt });
    this.#heed(invocation);
    const outcome = await promise;
    clearTimeout(timer);
    return outcome;
  }

  /** From now on every call to an emulator is asked for before it is made, or no longer is. */
  arm(isArmed: boolean): void {
    this.#tell({ kind: 'arm', isArmed });
  }

  /** Ends the process at once, as a crash of the machine under it would. */
  async crash(): Promise<void> {
    this.#kill(killed);
    await this.#ended.promise;
  }

  #hasEnded(): boolean {
    return this.state === 'ended';
  }

  #heed({ requestId, abandoned }: Invocation): void {
    const abandon = (): void => {
      if (this.#runs.has(requestId)) this.#tell({ kind: 'abandon', requestId });
    };
    if (abandoned?.aborted === true) abandon();
    else abandoned?.addEventListener('abort', abandon, { once: true });
  }

  #tell(message: ToEnvironment): void {
    // A process that has just died is noticed by its `close`.
    if (this.#process.connected) this.#process.send(message, () => undefined);
  }

  #hear(message: FromEnvironment): void {
    switch (message.kind) {
      case 'ready':
        if (this.state === 'starting') this.state = 'idle';
        this.#ready.resolve(undefined);
        break;
      case 'called':
        this.#options.onCall(message.call, this);
        break;
      case 'chunk':
        void this.#pass(message.requestId, message.chunk);
        break;
      case 'succeeded':
        this.#finish(message.requestId, withinLimit(message.payload));
        break;
      case 'failed':
        this.#finish(message.requestId, { ok: false, error: message.error });
        break;
      case 'dying':
        this.#causeOfDeath ??= message.error;
    }
  }

  async #pass(requestId: string, chunk: Uint8Array): Promise<void> {
    await this.#runs.get(requestId)?.invocation.onChunk?.(chunk);
    this.#tell({ kind: 'taken', requestId });
  }

  #answerCalls(pipe: Duplex): void {
    // The process may die before it reads the answer.
    pipe.on('error', () => undefined);
    createInterface({ input: pipe }).on('line', (line) => {
      pipe.write(this.#options.onCall(JSON.parse(line) as EmulatorCall, this));
    });
  }

  #finish(requestId: string, outcome: InvocationOutcome): void {
    const run = this.#runs.get(requestId);
    this.#runs.delete(requestId);
    this.idleSince = Date.now();
    if (this.state === 'busy' && this.#runs.size === 0) this.state = 'idle';
    run?.settle(outcome);
  }

  #end(cause: FunctionError): void {
    const { config, log, onEnd } = this.#options;
    this.state = 'ended';
    log.write(config, this.id, `environment ended: ${cause.errorMessage}`);
    onEnd(this);
    this.#ready.resolve(undefined);
    for (const requestId of this.#runs.keys()) {
      this.#finish(requestId, { ok: false, error: describeDeath(cause, requestId) });
    }
    this.#ended.resolve(undefined);
  }

  #killAfter(delayMs: number, errorMessage: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#kill(timedOut(errorMessage));
    }, delayMs);
  }

  #kill(cause: FunctionError): void {
    this.#causeOfDeath ??= cause;
    this.#process.kill('SIGKILL');
  }
}

function withinLimit(payload: string): InvocationOutcome {
  if (Buffer.byteLength(payload) <= RESPONSE_LIMIT_BYTES) return { ok: true, payload };
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${RESPONSE_LIMIT_BYTES} bytes).`;
  return { ok: false, error: { errorType: 'Function.ResponseSizeTooLarge', errorMessage } };
}
