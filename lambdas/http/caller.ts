import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route, Scope } from '../../src/protocol/routes.ts';
import { RequestRefused } from './request-refused.ts';
import { rulesOf, type TenantRules, wordsOf } from './tenant-rules.ts';

/** Who sends a request, as the authorizer found out. */
export interface Caller {
  readonly tenantId: string;
  readonly scopes: readonly string[];
  readonly rules: TenantRules;
}

/** @throws RequestRefused `unauthorized` when no authorizer vouches for the request. */
export function callerOf(event: APIGatewayProxyEvent): Caller {
  const caller = findCaller(event);
  if (caller !== undefined) return caller;
  throw new RequestRefused('unauthorized', 'send an API key as Authorization: Bearer lh_…');
}

/**
 * Undefined when no authorizer vouches for the request, or only one whose verdict API Gateway has kept longer than the
 * credential is good for.
 */
export function findCaller(event: APIGatewayProxyEvent): Caller | undefined {
  const context = (event.requestContext.authorizer ?? {}) as Readonly<Record<string, unknown>>;
  const { tenantId, scopes, expiresAt } = context;
  if (typeof tenantId !== 'string' || tenantId === '') return undefined;
  if (expiresAt !== undefined && Number(expiresAt) <= receivedAt(event)) return undefined;
  return {
    tenantId,
    scopes: typeof scopes === 'string' ? wordsOf(scopes) : [],
    rules: rulesOf(context),
  };
}

function receivedAt({ requestContext }: APIGatewayProxyEvent): number {
  return requestContext.requestTimeEpoch;
}

/** @throws RequestRefused `insufficient_scope` naming the scope that is missing and those the key has. */
export function requireScope(caller: Caller, route: Route & { readonly scope: Scope }): void {
  if (caller.scopes.includes(route.scope)) return;
  throw new RequestRefused(
    'insufficient_scope',
    `${route.method} ${route.path} needs the scope ${route.scope}; this key has ${caller.scopes.join(' ') || 'none'}`,
  );
}
