import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  APIGatewayTokenAuthorizerEvent,
} from 'aws-lambda';
import type { TenantStore } from '../../src/core/ports/tenant-store.ts';
import {
  type Identification,
  identifyKey,
  identifyToken,
  type KeyDeps,
  type TokenDeps,
} from './identify.ts';
import { rulesContext, type TenantRules } from './tenant-rules.ts';

export interface AuthorizerDeps extends KeyDeps, TokenDeps {
  readonly tenants: Pick<TenantStore, 'find'>;
  /** For tenants whose settings say nothing else. */
  readonly defaults: Pick<TenantRules, 'requestsPerSecond'>;
}

export type AuthorizerEvent =
  | Pick<APIGatewayTokenAuthorizerEvent, 'methodArn' | 'authorizationToken'>
  | Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'headers' | 'requestContext'>;

export type Authorizer = (event: AuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

const BEARER = /^Bearer +(lh_[A-Za-z0-9_-]{16,128})$/i;
const TOKEN = /^Bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i;

/**
 * Tells API Gateway whose key or token a request carries, and the handlers what its tenant may. The policy is cached for all routes
 * of the stage, so it allows the stage; scopes are checked where a request is served.
 */
export function authorizer(deps: AuthorizerDeps): Authorizer {
  return async (event) => {
    const requestId = 'requestContext' in event ? event.requestContext.requestId : undefined;
    const found = await identify(deps, authorizationOf(event)).catch((error: unknown) => {
      deps.telemetry.log('error', 'nobody knows whether a request is authorized', {
        requestId,
        error,
      });
      throw error;
    });
    if (!found.known) {
      const { known: _, ...facts } = found;
      deps.telemetry.log('info', 'request not authorized', { requestId, ...facts });
      // API Gateway answers 401 to an error of exactly this message, and 503 of ours to any other.
      throw new Error('Unauthorized');
    }
    const { tenantId, scopes, expiresAt, keyPrefix } = found;
    const settings = await deps.tenants.find(tenantId);
    return {
      principalId: tenantId,
      policyDocument: allowStage(event.methodArn),
      context: {
        tenantId,
        scopes: scopes.join(' '),
        ...(keyPrefix !== undefined && { keyPrefix }),
        ...(expiresAt !== undefined && { expiresAt }),
        ...rulesContext(settings, deps.defaults),
      },
    };
  };
}

async function identify(deps: AuthorizerDeps, authorization: string): Promise<Identification> {
  const key = BEARER.exec(authorization)?.[1];
  if (key !== undefined) return identifyKey(deps, key);
  const token = TOKEN.exec(authorization)?.[1];
  if (token !== undefined) return identifyToken(deps, token);
  return { known: false, because: 'no key, or a malformed one' };
}

function authorizationOf(event: AuthorizerEvent): string {
  if ('authorizationToken' in event) return event.authorizationToken;
  const header = Object.entries(event.headers ?? {}).find(
    ([name]) => name.toLowerCase() === 'authorization',
  );
  return header?.[1]?.trim() ?? '';
}

/** `arn:aws:execute-api:region:account:api/stage/GET/jobs` → everything of that stage. */
function allowStage(methodArn: string): APIGatewayAuthorizerResult['policyDocument'] {
  const [api, stage] = methodArn.split('/');
  return {
    Version: '2012-10-17',
    Statement: [
      { Action: 'execute-api:Invoke', Effect: 'Allow', Resource: `${api ?? ''}/${stage ?? ''}/*` },
    ],
  };
}
