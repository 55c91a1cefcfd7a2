import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route, Scope } from '../../src/protocol/routes.ts';
import { RequestRefused } from './request-refused.ts';

/** Who sends a request, as the authorizer found out. */
export interface Caller {
  readonly tenantId: string;
  readonly scopes: readonly string[];
}

/** @throws RequestRefused `unauthorized` when no authorizer vouched for the request. */
export function callerOf(event: APIGatewayProxyEvent): Caller {
  const context = event.requestContext.authorizer as
    { readonly tenantId?: unknown; readonly scopes?: unknown } | null | undefined;
  const tenantId = context?.tenantId;
  if (typeof tenantId !== 'string' || tenantId === '') {
    throw new RequestRefused('unauthorized', 'send an API key as Authorization: Bearer lh_…');
  }
  const scopes = typeof context?.scopes === 'string' ? context.scopes : '';
  return { tenantId, scopes: scopes.split(' ').filter((scope) => scope !== '') };
}

/** @throws RequestRefused `insufficient_scope` naming the scope that is missing and those the key has. */
export function requireScope(caller: Caller, route: Route & { readonly scope: Scope }): void {
  if (caller.scopes.includes(route.scope)) return;
  throw new RequestRefused(
    'insufficient_scope',
    `${route.method} ${route.path} needs the scope ${route.scope}; this key has ${caller.scopes.join(' ') || 'none'}`,
  );
}
