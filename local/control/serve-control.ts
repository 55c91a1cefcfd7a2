import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../gateway/read-body.ts';
import { ControlError } from './control-request.ts';
import { control, type Controlled } from './control.ts';

export const CONTROL_PATH = '/_local';

const BODY_LIMIT_BYTES = 1024 * 1024;

/** Serves the control routes: JSON in, JSON out, loopback only. */
export async function serveControl(
  controlled: Controlled,
  message: IncomingMessage,
  { response, url }: { readonly response: ServerResponse; readonly url: URL },
): Promise<void> {
  try {
    refuseStrangers(message);
    const answer = await control(controlled, {
      method: message.method ?? 'GET',
      path: url.pathname.slice(CONTROL_PATH.length),
      query: url.searchParams,
      body: await jsonBody(message),
    });
    sendJson(response, 200, answer);
  } catch (error) {
    if (!(error instanceof ControlError)) throw error;
    sendJson(response, error.status, { message: error.message });
  }
}

/** The server listens on loopback only; a web page that got a browser to call it still names its own origin. */
function refuseStrangers({ headers, socket }: IncomingMessage): void {
  const isLoopback = /^(::ffff:)?127\.|^::1$/.test(socket.remoteAddress ?? '');
  if (isLoopback && headers.origin === undefined) return;
  throw new ControlError(403, 'control routes are for programs on this machine');
}

async function jsonBody(message: IncomingMessage): Promise<Record<string, unknown>> {
  const text = await readBody(message, BODY_LIMIT_BYTES);
  if (text === undefined) throw new ControlError(413, 'body too large');
  if (text.trim() === '') return {};
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body as Record<string, unknown>;
  } catch {
    // Not JSON: refused below.
  }
  throw new ControlError(400, 'the body must be a JSON object');
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(`${JSON.stringify(body)}\n`);
}
