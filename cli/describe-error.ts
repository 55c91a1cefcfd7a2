import {
  JobCancelledError,
  JobFailedError,
  LonghaulError,
  type Problem,
  WaitTimeoutError,
} from '../client/index.ts';
import { printable } from './api/printable.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import type { Terminal } from './terminal.ts';
import { UsageError } from './usage-error.ts';

export function isUsageError(error: unknown): error is Error {
  if (error instanceof UsageError) return true;
  const { code } = error as { code?: unknown };
  return typeof code === 'string' && code.startsWith('ERR_PARSE_ARGS_');
}

export function exitCodeOfError(error: unknown): ExitCode {
  if (error instanceof JobFailedError) return EXIT.jobFailed;
  if (error instanceof JobCancelledError) return EXIT.jobCancelled;
  return error instanceof WaitTimeoutError ? EXIT.timedOut : EXIT.failed;
}

/** An error for a person: what went wrong, where, and what to do. */
export function describeError(error: unknown, { env }: Terminal): string {
  if (error instanceof LonghaulError) return problemLines(error).map(printable).join('\n');
  if (!(error instanceof Error)) return String(error);
  if (error.message === 'Region is missing')
    return 'the region of the table is missing: set AWS_REGION, or AWS_PROFILE to a profile with one';
  if (error.name !== 'ResourceNotFoundException') return `${error.name}: ${error.message}`;
  const region = env.AWS_REGION ?? 'the default region';
  return `the table is not in ${region} of this account: give the stack's output JobTableName, and its region as AWS_REGION`;
}

/** An error for a script that asked for JSON. */
export function errorJson(error: unknown): object {
  if (!(error instanceof LonghaulError)) {
    return { message: error instanceof Error ? error.message : String(error) };
  }
  const { code, message, status, requestId, problem } = error;
  return { code, message, status, requestId, problem };
}

function problemLines(error: LonghaulError): string[] {
  const { message, code, problem, requestId } = error;
  const { errors = [], knownAgents, knownSteps } = problem ?? {};
  return [
    message,
    ...errors.map((fault) => `  ${placeOf(fault)}: ${fault.message}`),
    ...(knownAgents === undefined ? [] : [`known agents: ${knownAgents.join(', ')}`]),
    ...(knownSteps === undefined ? [] : [`known steps: ${knownSteps.join(', ')}`]),
    ...adviceFor(code),
    ...(requestId === undefined ? [] : [`request ${requestId}`]),
  ];
}

/** A pointer into the body, `/` for all of it, or the name of a query parameter. */
function placeOf({ pointer, parameter }: NonNullable<Problem['errors']>[number]): string {
  return parameter ?? (pointer || '/');
}

function adviceFor(code: string): string[] {
  if (code === 'unauthorized')
    return ['is LONGHAUL_KEY a key of this deployment, and not revoked?'];
  if (['network_error', 'http_403', 'http_404'].includes(code))
    return ['is LONGHAUL_URL the API, with its stage?'];
  return [];
}
