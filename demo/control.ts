import type { LocalCloud } from './local-cloud.ts';

interface ControlRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE';
  readonly body?: unknown;
}

const LIMIT_MS = 35_000;

/** One of the routes by which a local cloud is looked into and broken; they are no part of the API. */
export async function control(
  { controlUrl }: LocalCloud,
  path: string,
  { method = 'GET', body }: ControlRequest = {},
): Promise<unknown> {
  const response = await fetch(`${controlUrl}${path}`, {
    method,
    signal: AbortSignal.timeout(LIMIT_MS),
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`);
  return JSON.parse(text) as unknown;
}
