import { TerminalError } from '../../agent/errors.ts';
import { hasCode } from '../../errors.ts';
import type { StoredError } from '../job/job.ts';
import { sizeBytes, toJson } from './json-value.ts';

const MAX_CAUSES = 8;
const MAX_TEXT = 4_096;
const MAX_DETAILS_BYTES = 2_048;

/** An error thrown again from the journal: name, message, code, stack and causes are those of the original. */
export class RecordedError extends Error {
  readonly code: string | undefined;
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(stored: StoredError) {
    super(
      stored.message,
      stored.cause === undefined ? undefined : { cause: reviveError(stored.cause) },
    );
    this.name = stored.name;
    this.code = stored.code;
    this.details = stored.details;
    if (stored.stack !== undefined) this.stack = stored.stack;
  }
}

/** What the journal keeps of anything that was thrown. */
export function storeError(thrown: unknown, depth = 0): StoredError {
  if (typeof thrown !== 'object' || thrown === null)
    return { name: 'Error', message: bounded(String(thrown)) };
  const error = thrown as {
    name?: unknown;
    message?: unknown;
    code?: unknown;
    stack?: unknown;
    cause?: unknown;
    details?: unknown;
  };
  const details = storableDetails(error.details);
  return {
    name: typeof error.name === 'string' ? error.name : 'Error',
    message: bounded(
      typeof error.message === 'string' ? error.message : 'a value without a message was thrown',
    ),
    ...(typeof error.code === 'string' || typeof error.code === 'number'
      ? { code: String(error.code) }
      : {}),
    ...(typeof error.stack === 'string' ? { stack: bounded(error.stack) } : {}),
    ...(error.cause !== undefined && depth < MAX_CAUSES
      ? { cause: storeError(error.cause, depth + 1) }
      : {}),
    ...(details === undefined ? {} : { details }),
  };
}

export function reviveError(stored: StoredError): Error {
  if (stored.code !== 'terminal_error') return new RecordedError(stored);
  const error = new TerminalError(stored.message, {
    ...(stored.cause === undefined ? {} : { cause: reviveError(stored.cause) }),
    ...(stored.details === undefined ? {} : { details: stored.details }),
  });
  error.name = stored.name;
  if (stored.stack !== undefined) error.stack = stored.stack;
  return error;
}

/** Whether another try is useless: the step said so, its outcome cannot be stored, or it is written wrongly. */
export function isTerminal(thrown: unknown): boolean {
  return hasCode(thrown, 'terminal_error', 'not_serializable', 'payload_too_large', 'step_nested');
}

function bounded(text: string): string {
  return text.length <= MAX_TEXT
    ? text
    : `${text.slice(0, MAX_TEXT)}… (${text.length - MAX_TEXT} more characters)`;
}

function storableDetails(details: unknown): Readonly<Record<string, unknown>> | undefined {
  if (typeof details !== 'object' || details === null || Object.keys(details).length === 0)
    return undefined;
  try {
    const json = toJson(details);
    return sizeBytes(json) <= MAX_DETAILS_BYTES
      ? (JSON.parse(json) as Record<string, unknown>)
      : { omitted: `${sizeBytes(json)} bytes of details, over the limit of ${MAX_DETAILS_BYTES}` };
  } catch {
    return undefined;
  }
}
