import type { RequestOptions } from './requests.ts';
import { failedAnswer } from './failed-answer.ts';
import { LonghaulError } from './errors.ts';
import { withRetries } from './retry-policy.ts';
import type { InputRef } from './submission.ts';
import type { Transport } from './transport.ts';

/** What `POST /uploads` answers: one PUT of exactly these bytes. */
interface UploadTicket {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly inputRef: InputRef;
}

/** What `fetch` sets itself, and a browser lets nobody else set. */
const OWN_HEADERS: ReadonlySet<string> = new Set(['content-length', 'host']);

/** Uploads the JSON text of an input, to be named in a submission. */
export async function uploadInput(
  transport: Transport,
  json: string | Uint8Array,
  { signal }: RequestOptions = {},
): Promise<InputRef> {
  const bytes = typeof json === 'string' ? new TextEncoder().encode(json) : Uint8Array.from(json);
  const request = { sizeBytes: bytes.byteLength, sha256: await sha256Of(bytes) };
  const answer = await transport.send({ method: 'POST', path: '/uploads', body: request, signal });
  const ticket = answer.body as UploadTicket;
  await withRetries(() => put(transport, ticket, bytes, signal), {
    ...transport.clock,
    policy: transport.policy,
    signal,
  });
  return ticket.inputRef;
}

async function put(
  transport: Transport,
  { url, method, headers }: UploadTicket,
  bytes: Uint8Array<ArrayBuffer>,
  signal: AbortSignal | undefined,
): Promise<void> {
  const sent = Object.entries(headers).filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  let response: Response;
  try {
    response = await transport.fetch(url, {
      method,
      headers: Object.fromEntries(sent),
      body: bytes,
      ...(signal !== undefined && { signal }),
    });
  } catch (error) {
    // The URL is a credential for a while: it goes into no message.
    throw transport.explained(error, { method: 'PUT', path: 'of the upload', signal });
  }
  // The object is there: an earlier try of ours has written it, and its answer was lost.
  if (response.ok || response.status === 412) return;
  const said = (await response.text()).slice(0, 300);
  const error = failedAnswer(response, undefined, 'the PUT of the upload');
  throw new LonghaulError(`${error.message}: ${said}`, {
    code: 'upload_failed',
    status: response.status,
    retryable: error.retryable,
  });
}

async function sha256Of(bytes: Uint8Array<ArrayBuffer>): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
