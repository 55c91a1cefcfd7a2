import { randomUUID } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import type { CallCounter } from './call-counter.ts';
import type { FunctionConfig } from './function-config.ts';
import type { FunctionLog } from './function-log.ts';
import type { EmulatorCall, FunctionError, ThreadData, ThreadMessage } from './thread-protocol.ts';

export interface Invocation {
  readonly requestId: string;
  /** The event as JSON. */
  readonly payload: string;
  readonly traceId: string;
  /** Told when the handler begins: before that it waits for an environment, which on AWS it would not. */
  readonly onStart?: () => void;
  /** Receives a streamed answer piece by piece. */
  readonly onChunk?: (chunk: Uint8Array) => void;
}

export type InvocationOutcome =
  | { readonly ok: true; readonly payload: string }
  | { readonly ok: false; readonly error: FunctionError };

export interface EnvironmentOptions {
  readonly config: FunctionConfig;
  readonly emulatorPorts: Readonly<Record<number, string>>;
  readonly counter: CallCounter;
  readonly log: FunctionLog;
  readonly onCall: (call: EmulatorCall, environment: ExecutionEnvironment) => void;
  readonly onEnd: (environment: ExecutionEnvironment) => void;
}

type State = 'starting' | 'idle' | 'busy' | 'ended';

// Lambda allows ten seconds of initialisation; a loaded laptop may need more than Lambda does.
const INIT_LIMIT_MS = 30_000;
const RESPONSE_LIMIT_BYTES = 6_291_556;

/** One execution environment: a thread that serves one invocation at a time until it dies or is no longer needed. */
export class ExecutionEnvironment {
  readonly id = randomUUID().slice(0, 8);
  readonly startedAt = Date.now();
  idleSince = Date.now();
  state: State = 'starting';
  current: Invocation | undefined;

  readonly #options: EnvironmentOptions;
  readonly #thread: Worker;
  readonly #ready = Promise.withResolvers<undefined>();
  #settle: ((outcome: InvocationOutcome) => void) | undefined;
  /** Why the thread is about to end, when that is known before it has. */
  #causeOfDeath: FunctionError | undefined;

  constructor(options: EnvironmentOptions) {
    this.#options = options;
    const { config, log } = options;
    this.#thread = new Worker(new URL('./environment-thread.ts', import.meta.url), {
      env: config.environment,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: config.memoryMb },
      stdout: true,
      stderr: true,
      workerData: this.#threadData(),
    });
    log.follow(this.#thread, config, this.id);
    this.#thread.on('message', (message: ThreadMessage) => {
      this.#hear(message);
    });
    this.#thread.on('error', (error) => {
      this.#causeOfDeath ??= deathByError(error);
    });
    this.#thread.on('exit', (code) => {
      this.#end(this.#causeOfDeath ?? deathByExit(code));
    });
  }

  /** Runs one invocation; resolves with an error, never rejects. */
  async invoke(invocation: Invocation): Promise<InvocationOutcome> {
    const { promise, resolve } = Promise.withResolvers<InvocationOutcome>();
    this.current = invocation;
    this.#settle = resolve;
    const initTimer = this.#killAfter(INIT_LIMIT_MS, 'initialisation timed out');
    await this.#ready.promise;
    clearTimeout(initTimer);
    if (this.state === 'ended') return promise;
    this.state = 'busy';
    invocation.onStart?.();
    const { timeoutSeconds } = this.#options.config;
    const limit = `Task timed out after ${timeoutSeconds.toFixed(2)} seconds`;
    const timer = this.#killAfter(timeoutSeconds * 1000, limit);
    this.#thread.postMessage({
      requestId: invocation.requestId,
      payload: invocation.payload,
      traceId: invocation.traceId,
      deadlineAt: Date.now() + timeoutSeconds * 1000,
    });
    const outcome = await promise;
    clearTimeout(timer);
    return outcome;
  }

  /** Ends the thread at once, as a crash of the machine under it would. */
  async crash(): Promise<void> {
    this.#causeOfDeath ??= exitError('signal: killed');
    await this.#thread.terminate();
  }

  #hear(message: ThreadMessage): void {
    switch (message.kind) {
      case 'ready':
        if (this.state === 'starting') this.state = 'idle';
        this.#ready.resolve(undefined);
        break;
      case 'called':
        this.#options.onCall(message.call, this);
        break;
      case 'chunk':
        this.current?.onChunk?.(message.chunk);
        break;
      case 'succeeded':
        this.#finish(withinLimit(message.payload));
        break;
      case 'failed':
        if (message.inInit) {
          this.#causeOfDeath = message.error;
          void this.#thread.terminate();
        } else {
          this.#finish({ ok: false, error: message.error });
        }
    }
  }

  #finish(outcome: InvocationOutcome): void {
    const settle = this.#settle;
    this.#settle = undefined;
    this.current = undefined;
    this.idleSince = Date.now();
    if (this.state === 'busy') this.state = 'idle';
    settle?.(outcome);
  }

  #end(error: FunctionError): void {
    this.state = 'ended';
    this.#ready.resolve(undefined);
    const requestId = this.current?.requestId;
    const errorMessage =
      requestId === undefined
        ? error.errorMessage
        : `RequestId: ${requestId} Error: ${error.errorMessage}`;
    this.#options.log.write(
      this.#options.config,
      this.id,
      `environment ended: ${error.errorMessage}`,
    );
    this.#options.onEnd(this);
    this.#finish({ ok: false, error: { ...error, errorMessage } });
  }

  #killAfter(delayMs: number, errorMessage: string): NodeJS.Timeout {
    return setTimeout(() => {
      this.#causeOfDeath ??= { errorType: 'Sandbox.Timedout', errorMessage };
      void this.#thread.terminate();
    }, delayMs);
  }

  #threadData(): ThreadData {
    const { config, counter, emulatorPorts } = this.#options;
    return {
      directory: config.directory,
      handler: config.handler,
      functionName: config.name,
      functionArn: config.arn,
      memoryMb: config.memoryMb,
      emulatorPorts,
      callCounter: counter.shared,
    };
  }
}

function withinLimit(payload: string): InvocationOutcome {
  if (Buffer.byteLength(payload) <= RESPONSE_LIMIT_BYTES) return { ok: true, payload };
  const errorMessage = `Response payload size exceeded maximum allowed payload size (${RESPONSE_LIMIT_BYTES} bytes).`;
  return { ok: false, error: { errorType: 'Function.ResponseSizeTooLarge', errorMessage } };
}

const exitError = (how: string): FunctionError => ({
  errorType: 'Runtime.ExitError',
  errorMessage: `Runtime exited with error: ${how}`,
});

function deathByExit(code: number): FunctionError {
  if (code !== 0) return exitError(`exit status ${code}`);
  return {
    errorType: 'Runtime.ExitError',
    errorMessage: 'Runtime exited without providing a reason',
  };
}

function deathByError(error: unknown): FunctionError {
  if ((error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY') {
    return exitError('signal: killed (out of memory)');
  }
  const { message, name } = error as Error;
  return { errorType: 'Runtime.ExitError', errorMessage: `${name}: ${message}` };
}
