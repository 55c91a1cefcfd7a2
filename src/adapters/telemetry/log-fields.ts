import { downstreamOf } from '../../core/job/downstream-of.ts';
import type { LogFields } from '../../core/ports/telemetry.ts';

const MAX_TEXT = 2_048;
const MAX_PAYLOAD = 4_096;
const MAX_CAUSES = 5;

/** What a credential of ours, or one in a header, looks like: where a message quotes one, it must not go on. */
const CREDENTIALS =
  /\b(?:lh_|whsec_)[\w+/=-]{8,}|\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?|\b(?:Bearer|Basic) [\w.~+/=-]{8,}/g;
const SECRET_NAME =
  /pass(?:word|phrase)|secret|token$|authorization|api[-_]?key|credential|cookie/i;

/** The fields of a line as they are written: errors by a few known fields, payloads only where they are asked for. */
export function writtenFields(
  { payload, ...fields }: LogFields,
  { showPayloads }: { readonly showPayloads: boolean },
): Record<string, unknown> {
  const written = Object.fromEntries(
    Object.entries(fields).map(([name, value]) => [
      name,
      isError(name, value) ? errorFields(value) : value,
    ]),
  );
  if (!showPayloads || typeof payload !== 'string') return written;
  return { ...written, payload: shownPayload(payload) };
}

/** Without what looks like a credential. */
export function scrubbed(text: string): string {
  return text.replace(CREDENTIALS, '[redacted]');
}

function isError(name: string, value: unknown): boolean {
  return name === 'error' || Error.isError(value);
}

/** Whoever throws may hang anything on an error, such as the request with its headers: only what is known is taken. */
function errorFields(error: unknown, depth = 0): Record<string, unknown> {
  if (typeof error !== 'object' || error === null) return { message: textOf(String(error)) };
  const { name, message, code, step, attempt, stack, cause, downstream } = error as LogFields;
  return {
    ...texts({ name, message, code, step, stack }),
    ...(typeof attempt === 'number' && { attempt }),
    downstream: downstreamOf(error) ?? downstream,
    ...(cause !== undefined && depth < MAX_CAUSES && { cause: errorFields(cause, depth + 1) }),
  };
}

function texts(fields: LogFields): Record<string, string> {
  const known = Object.entries(fields).filter(([, value]) =>
    ['string', 'number'].includes(typeof value),
  );
  return Object.fromEntries(known.map(([name, value]) => [name, textOf(String(value))]));
}

function textOf(text: string): string {
  return scrubbed(text.slice(0, MAX_TEXT));
}

function shownPayload(json: string): string {
  const text = scrubbed(withoutSecrets(json));
  const rest = text.length - MAX_PAYLOAD;
  return rest <= 0 ? text : `${text.slice(0, MAX_PAYLOAD)}… (${rest} more characters)`;
}

function withoutSecrets(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), (name, value: unknown) =>
      SECRET_NAME.test(name) ? '[redacted]' : value,
    );
  } catch {
    return '[unreadable]';
  }
}
