import type { FunctionError } from './environment-protocol.ts';

/** How the end of an environment looks to whoever invoked it, in the words of Lambda. */

const exitError = (errorMessage: string): FunctionError => ({
  errorType: 'Runtime.ExitError',
  errorMessage,
});

export const killed = exitError('Runtime exited with error: signal: killed');

export const timedOut = (errorMessage: string): FunctionError => ({
  errorType: 'Sandbox.Timedout',
  errorMessage,
});

export function deathOf(code: number | null, signal: NodeJS.Signals | null): FunctionError {
  // V8 aborts the process when its heap is full; Lambda kills one that takes more than its memory.
  if (signal === 'SIGABRT')
    return exitError('Runtime exited with error: signal: killed (out of memory)');
  if (signal !== null) return exitError(`Runtime exited with error: signal: ${signal}`);
  if (code === 0) return exitError('Runtime exited without providing a reason');
  return exitError(`Runtime exited with error: exit status ${String(code)}`);
}

export function describeDeath(cause: FunctionError, requestId: string | undefined): FunctionError {
  if (requestId === undefined) return cause;
  return { ...cause, errorMessage: `RequestId: ${requestId} Error: ${cause.errorMessage}` };
}
