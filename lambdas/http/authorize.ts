import type {
  APIGatewayAuthorizerResult,
  APIGatewayRequestAuthorizerEvent,
  APIGatewayTokenAuthorizerEvent,
} from 'aws-lambda';
import type { ApiKeyStore } from '../../src/core/ports/api-key-store.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { IdSource } from '../../src/core/ports/id-source.ts';
import type { Telemetry } from '../../src/core/ports/telemetry.ts';

export interface AuthorizerDeps {
  readonly keys: Pick<ApiKeyStore, 'find'>;
  readonly ids: Pick<IdSource, 'sha256'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly telemetry: Telemetry;
}

export type AuthorizerEvent =
  | Pick<APIGatewayTokenAuthorizerEvent, 'methodArn' | 'authorizationToken'>
  | Pick<APIGatewayRequestAuthorizerEvent, 'methodArn' | 'headers' | 'requestContext'>;

export type Authorizer = (event: AuthorizerEvent) => Promise<APIGatewayAuthorizerResult>;

const BEARER = /^Bearer +(lh_[A-Za-z0-9_-]{16,128})$/i;

/**
 * Tells API Gateway whose key a request carries. The policy is cached for all routes of the stage, so it allows the
 * stage; scopes are checked where a request is served.
 */
export function authorizer(deps: AuthorizerDeps): Authorizer {
  return async (event) => {
    const requestId = 'requestContext' in event ? event.requestContext.requestId : undefined;
    const key = BEARER.exec(authorizationOf(event))?.[1];
    if (key === undefined)
      throw refused(deps, { requestId, because: 'no key, or a malformed one' });
    const found = await deps.keys.find(deps.ids.sha256(key));
    if (found === undefined) throw refused(deps, { requestId, because: 'unknown key' });
    const { tenantId, scopes, prefix, revokedAt } = found;
    if (revokedAt !== undefined && revokedAt <= deps.clock.now()) {
      throw refused(deps, { requestId, because: 'revoked key', tenantId, keyPrefix: prefix });
    }
    return {
      principalId: tenantId,
      policyDocument: allowStage(event.methodArn),
      context: { tenantId, scopes: scopes.join(' '), keyPrefix: prefix },
    };
  };
}

function authorizationOf(event: AuthorizerEvent): string {
  if ('authorizationToken' in event) return event.authorizationToken;
  const header = Object.entries(event.headers ?? {}).find(
    ([name]) => name.toLowerCase() === 'authorization',
  );
  return header?.[1]?.trim() ?? '';
}

/** API Gateway answers 401 to an error of exactly this message, and 500 to any other. */
function refused({ telemetry }: AuthorizerDeps, fields: object): Error {
  telemetry.log('info', 'request not authorized', { ...fields });
  return new Error('Unauthorized');
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
