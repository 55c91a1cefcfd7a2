import { createHash } from 'node:crypto';
import document from '../../src/protocol/openapi.json' with { type: 'json' };
import { isKnown } from './entity-tag.ts';
import type { Serve } from './http-handler.ts';
import { basePathOf } from './request.ts';

/** The document changes with deployments only: clients and caches may keep it for some minutes, and ask whether it still holds. */
const CACHE_SECONDS = 300;

/** `GET /openapi.json`: the committed document, with the address that it was asked for at. */
export const openapiRoute: Serve = ({ event }) => {
  const body = { ...document, servers: [{ url: basePathOf(event) || '/' }] };
  const digest = createHash('sha256').update(JSON.stringify(body)).digest('base64url');
  const etag = `"${digest.slice(0, 22)}"`;
  const headers = { etag, 'cache-control': `public, max-age=${CACHE_SECONDS}` };
  return isKnown(event, etag) ? { status: 304, headers } : { status: 200, body, headers };
};
