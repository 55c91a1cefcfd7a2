import { AsyncLocalStorage } from 'node:async_hooks';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import type {
  FromEnvironment,
  FunctionError,
  Invoke,
  Start,
  ToEnvironment,
} from './environment-protocol.ts';
import { awslambda, isStreaming, ResponseStream } from './response-stream.ts';
import { WatchedCalls } from './watched-calls.ts';

/** The inside of an execution environment: what the Node runtime of Lambda does around a handler. */

type Handler = (...args: unknown[]) => unknown;

const send = process.send?.bind(process);
// A function on Lambda has no parent it could talk to.
delete process.send;
const say = (message: FromEnvironment, then?: () => void) =>
  send?.(message, undefined, undefined, then);

let environment: Start;
let handler: Handler;
let calls: WatchedCalls;
/** Request id of the invocation for which code runs: a function that streams serves several at once. */
const current = new AsyncLocalStorage<string>();
/** Streamed answers under way, by request id. */
const streams = new Map<string, StreamedAnswer>();

interface StreamedAnswer {
  readonly stream: ResponseStream;
  /** Lets the stream go on when its last piece has been taken. */
  taken: () => void;
}

process.on('disconnect', () => process.exit(0));
// Ctrl-C reaches every process of the terminal; the local cloud ends its environments itself.
process.on('SIGINT', () => undefined);
process.on('message', (message: ToEnvironment) => {
  switch (message.kind) {
    case 'start':
      void start(message);
      break;
    case 'arm':
      calls.isArmed = message.isArmed;
      break;
    case 'invoke':
      void current.run(message.requestId, invoke, message);
      break;
    case 'taken':
      streams.get(message.requestId)?.taken();
      break;
    case 'abandon':
      streams.get(message.requestId)?.stream.destroy();
  }
});
process.on('uncaughtException', (error) => {
  die(describe(error));
});
process.on('unhandledRejection', (reason) => {
  die({ ...describe(reason), errorType: 'Runtime.UnhandledPromiseRejection' });
});

async function start(message: Start): Promise<void> {
  environment = message;
  calls = new WatchedCalls(message, {
    report: (call) => say({ kind: 'called', call }),
    requestId: () => current.getStore(),
  });
  calls.install();
  Object.assign(globalThis, { awslambda });
  try {
    handler = await loadHandler(message);
    say({ kind: 'ready' });
  } catch (error) {
    die(describe(error));
  }
}

function die(error: FunctionError): void {
  say({ kind: 'dying', error }, () => process.exit(1));
}

async function loadHandler({ directory, handler: path }: Start): Promise<Handler> {
  const dot = path.lastIndexOf('.');
  const [module, name] = [path.slice(0, dot), path.slice(dot + 1)];
  const file = ['.mjs', '.js', '.cjs']
    .map((extension) => join(directory, module + extension))
    .find((candidate) => existsSync(candidate));
  if (file === undefined) {
    throw runtimeError('Runtime.ImportModuleError', `Cannot find module '${module}'`);
  }
  const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const found = exported[name];
  if (typeof found !== 'function') {
    throw runtimeError('Runtime.HandlerNotFound', `${path} is undefined or not exported`);
  }
  if (found.length > 2 && !isStreaming(found)) {
    const problem = 'AWS Lambda has removed support for callback-based function handlers';
    throw runtimeError('Runtime.CallbackHandlerDeprecated', problem);
  }
  return found as Handler;
}

async function invoke(message: Invoke): Promise<void> {
  const { requestId } = message;
  process.env['_X_AMZN_TRACE_ID'] = message.traceId;
  try {
    const event: unknown = JSON.parse(message.payload);
    if (isStreaming(handler)) {
      await invokeStreaming(event, message);
      say({ kind: 'succeeded', requestId, payload: 'null' });
    } else {
      const result: unknown = await handler(event, contextOf(message));
      say({ kind: 'succeeded', requestId, payload: JSON.stringify(result ?? null) });
    }
  } catch (error) {
    say({ kind: 'failed', requestId, error: describe(error) });
  }
}

async function invokeStreaming(event: unknown, message: Invoke): Promise<void> {
  const { requestId } = message;
  const stream = new ResponseStream((chunk, taken) => {
    answer.taken = taken;
    say({ kind: 'chunk', requestId, chunk });
  });
  const answer: StreamedAnswer = { stream, taken: () => undefined };
  streams.set(requestId, answer);
  const ended = finished(stream);
  // Looked at when the handler has returned; it may break off before.
  ended.catch(() => undefined);
  try {
    await handler(event, stream, contextOf(message));
    await ended;
  } finally {
    streams.delete(requestId);
  }
}

function contextOf({ requestId, deadlineAt }: Invoke) {
  const { functionArn, functionName, memoryMb } = environment;
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: functionArn,
    memoryLimitInMB: String(memoryMb),
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadlineAt - Date.now()),
  };
}

function runtimeError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

function describe(error: unknown): FunctionError {
  if (!Error.isError(error)) return { errorType: typeof error, errorMessage: String(error) };
  return {
    errorType: error.name,
    errorMessage: error.message,
    trace: (error.stack ?? '').split('\n'),
  };
}
