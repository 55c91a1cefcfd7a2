import { TerminalError } from '../../agent/errors.ts';
import { hasCode } from '../../errors.ts';
import type { StoredError } from '../job/job.ts';
import { sizeBytes, toJson } from './json-value.ts';

const MAX_CAUSES = 8;
/** Bytes of JSON, where a control character takes six: with all causes an error stays far below what a page or a job holds. */
const MAX_TEXT = 4_096;
const MAX_NAME = 256;
const UNREADABLE = 'an error was thrown that cannot be read';
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

/** What the journal keeps of anything that was thrown, however odd. */
export function storeError(thrown: unknown, depth = 0): StoredError {
  try {
    return describeError(thrown, depth);
  } catch {
    return { name: 'Error', message: UNREADABLE };
  }
}

function describeError(thrown: unknown, depth: number): StoredError {
  if (typeof thrown !== 'object' || thrown === null)
    return { name: 'Error', message: bounded(String(thrown)) };
  const [name, message, code, stack, cause, details] = ERROR_FIELDS.map((field) =>
    readField(thrown, field),
  );
  const stored = storableDetails(details);
  const isCode = typeof code === 'string' || typeof code === 'number';
  return {
    name: typeof name === 'string' ? bounded(name, MAX_NAME) : 'Error',
    message: bounded(
      typeof message === 'string' ? message : 'a value without a message was thrown',
    ),
    ...(isCode ? { code: bounded(String(code), MAX_NAME) } : {}),
    ...(typeof stack === 'string' ? { stack: bounded(stack) } : {}),
    ...(cause !== undefined && depth < MAX_CAUSES ? { cause: storeError(cause, depth + 1) } : {}),
    ...(stored === undefined ? {} : { details: stored }),
  };
}

const ERROR_FIELDS = ['name', 'message', 'code', 'stack', 'cause', 'details'] as const;

/** One field that cannot be read must not hide the others. */
function readField(thrown: object, field: string): unknown {
  try {
    return (thrown as Record<string, unknown>)[field];
  } catch {
    return undefined;
  }
}

/** What was thrown, or a stand-in when looking at it throws: a getter or a proxy may. */
export function readableError(thrown: unknown): unknown {
  try {
    const {
      code: _code,
      cause: _cause,
      retryAfterMs: _after,
    } = Object(thrown) as Record<string, unknown>;
    return thrown;
  } catch {
    return new Error(UNREADABLE);
  }
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

function bounded(text: string, limit = MAX_TEXT): string {
  if (text.length <= limit && bytesInJson(text) <= limit) return text;
  let bytes = 0;
  let end = 0;
  for (const character of text) {
    bytes += bytesInJson(character);
    if (bytes > limit) return `${text.slice(0, end)}… (${text.length - end} more characters)`;
    end += character.length;
  }
  return text;
}

function bytesInJson(text: string): number {
  return sizeBytes(JSON.stringify(text)) - 2;
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
