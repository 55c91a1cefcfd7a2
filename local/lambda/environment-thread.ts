import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { pathToFileURL } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import { CallCounter } from './call-counter.ts';
import { awslambda, isStreaming, ResponseStream } from './response-stream.ts';
import type { FunctionError, InvokeMessage, ThreadData, ThreadMessage } from './thread-protocol.ts';
import { watchCalls } from './watched-calls.ts';

/** The inside of an execution environment: what the Node runtime of Lambda does around a handler. */

type Handler = (...args: unknown[]) => unknown;

const data = workerData as ThreadData;
const say = (message: ThreadMessage) => parentPort?.postMessage(message);

Object.assign(globalThis, { awslambda });
watchCalls({
  emulatorPorts: data.emulatorPorts,
  counter: new CallCounter(data.callCounter),
  report: (call) => {
    say({ kind: 'called', call });
  },
});

try {
  const handler = await loadHandler();
  parentPort?.on('message', (message: InvokeMessage) => void invoke(handler, message));
  say({ kind: 'ready' });
} catch (error) {
  say({ kind: 'failed', error: describe(error), inInit: true });
}

async function loadHandler(): Promise<Handler> {
  const dot = data.handler.lastIndexOf('.');
  const [module, name] = [data.handler.slice(0, dot), data.handler.slice(dot + 1)];
  const file = ['.mjs', '.js', '.cjs']
    .map((extension) => join(data.directory, module + extension))
    .find((path) => existsSync(path));
  if (file === undefined) {
    throw runtimeError('Runtime.ImportModuleError', `Cannot find module '${module}'`);
  }
  const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
  const handler =
    exported[name] ?? (exported['default'] as Record<string, unknown> | undefined)?.[name];
  if (typeof handler !== 'function') {
    throw runtimeError('Runtime.HandlerNotFound', `${data.handler} is undefined or not exported`);
  }
  if (handler.length > 2 && !isStreaming(handler)) {
    const problem = 'AWS Lambda has removed support for callback-based function handlers';
    throw runtimeError('Runtime.CallbackHandlerDeprecated', problem);
  }
  return handler as Handler;
}

async function invoke(handler: Handler, message: InvokeMessage): Promise<void> {
  process.env['_X_AMZN_TRACE_ID'] = message.traceId;
  try {
    const event: unknown = JSON.parse(message.payload);
    if (isStreaming(handler)) {
      await invokeStreaming(handler, event, contextOf(message));
      say({ kind: 'succeeded', payload: 'null' });
    } else {
      const result: unknown = await handler(event, contextOf(message));
      say({ kind: 'succeeded', payload: JSON.stringify(result ?? null) });
    }
  } catch (error) {
    say({ kind: 'failed', error: describe(error), inInit: false });
  }
}

async function invokeStreaming(handler: Handler, event: unknown, context: object): Promise<void> {
  const stream = new ResponseStream((chunk) => {
    say({ kind: 'chunk', chunk });
  });
  const ended = finished(stream);
  await handler(event, stream, context);
  await ended;
}

function contextOf({ requestId, deadlineAt }: InvokeMessage) {
  return {
    callbackWaitsForEmptyEventLoop: true,
    functionName: data.functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: data.functionArn,
    memoryLimitInMB: String(data.memoryMb),
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${data.functionName}`,
    logStreamName: 'local',
    getRemainingTimeInMillis: () => Math.max(0, deadlineAt - Date.now()),
  };
}

function runtimeError(name: string, message: string): Error {
  return Object.assign(new Error(message), { name });
}

function describe(error: unknown): FunctionError {
  if (!Error.isError(error)) {
    return { errorType: typeof error, errorMessage: String(error) };
  }
  return {
    errorType: error.name,
    errorMessage: error.message,
    trace: (error.stack ?? '').split('\n'),
  };
}
