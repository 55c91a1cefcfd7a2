import type { InvocationOutcome } from '../lambda/execution-environment.ts';
import { arn } from '../template/identity.ts';
import type { AuthorizerConfig, RestApi } from './api-model.ts';
import { headerOf, type GatewayRequest } from './gateway-request.ts';
import type { GatewayResponseType } from './gateway-responses.ts';
import type { RouteMatch } from './match-route.ts';
import { allows, statementsOf } from './policy.ts';
import { requestPart, type AuthorizerContext } from './proxy-event.ts';

export type Verdict =
  | { readonly allowed: true; readonly context: AuthorizerContext }
  | { readonly allowed: false; readonly refusal: GatewayResponseType };

interface Grant {
  readonly statements: NonNullable<ReturnType<typeof statementsOf>>;
  readonly context: AuthorizerContext;
}

type Invoke = (
  functionName: string,
  payload: string,
  traceId: string,
) => Promise<InvocationOutcome>;

const refused = (refusal: GatewayResponseType): Verdict => ({ allowed: false, refusal });

/** A Lambda authorizer with its cache. What is cached is the policy; it is evaluated for every request. */
export class Authorizer {
  readonly #api: RestApi;
  readonly #config: AuthorizerConfig;
  readonly #invoke: Invoke;
  readonly #cache = new Map<string, { readonly grant: Grant; readonly expiresAt: number }>();

  constructor(api: RestApi, config: AuthorizerConfig, invoke: Invoke) {
    this.#api = api;
    this.#config = config;
    this.#invoke = invoke;
  }

  async authorize(match: RouteMatch, request: GatewayRequest): Promise<Verdict> {
    const identity = this.#config.identitySources.map((source) =>
      this.#identityOf(source, request),
    );
    if (identity.some((value) => value === undefined || value === ''))
      return refused('UNAUTHORIZED');
    if (this.#config.validation?.test(identity[0] ?? '') === false) return refused('UNAUTHORIZED');
    const { method, path } = request;
    const methodArn = arn('execute-api', `${this.#api.id}/${this.#api.stage}/${method}${path}`);
    const found =
      this.#cached(identity) ?? (await this.#ask(methodArn, { match, request, identity }));
    if (typeof found === 'string') return refused(found);
    if (!allows(found.statements, methodArn)) return refused('ACCESS_DENIED');
    return { allowed: true, context: found.context };
  }

  #cached(identity: readonly unknown[]): Grant | undefined {
    if (!this.#caches) return undefined;
    const entry = this.#cache.get(JSON.stringify(identity));
    return entry && entry.expiresAt > Date.now() ? entry.grant : undefined;
  }

  get #caches(): boolean {
    return this.#config.ttlSeconds > 0 && this.#config.identitySources.length > 0;
  }

  async #ask(
    methodArn: string,
    asked: {
      readonly match: RouteMatch;
      readonly request: GatewayRequest;
      readonly identity: readonly (string | undefined)[];
    },
  ): Promise<Grant | GatewayResponseType> {
    const startedAt = Date.now();
    const event =
      this.#config.type === 'TOKEN'
        ? { type: 'TOKEN', methodArn, authorizationToken: asked.identity[0] }
        : { type: 'REQUEST', methodArn, ...requestPart(this.#api, asked.match, asked.request) };
    const outcome = await this.#invoke(
      this.#config.functionName,
      JSON.stringify(event),
      asked.request.traceId,
    );
    if (!outcome.ok) {
      return outcome.error.errorMessage === 'Unauthorized' ? 'UNAUTHORIZED' : 'AUTHORIZER_FAILURE';
    }
    const grant = grantIn(outcome.payload, Date.now() - startedAt);
    if (!grant) return 'AUTHORIZER_CONFIGURATION_ERROR';
    if (this.#caches) {
      const expiresAt = Date.now() + this.#config.ttlSeconds * 1000;
      this.#cache.set(JSON.stringify(asked.identity), { grant, expiresAt });
    }
    return grant;
  }

  #identityOf(source: string, request: GatewayRequest): string | undefined {
    const [, kind, name = ''] =
      /^(method\.request\.header|method\.request\.querystring|stageVariables|context)\.(.+)$/.exec(
        source,
      ) ?? [];
    switch (kind) {
      case 'method.request.header':
        return headerOf(request, name);
      case 'method.request.querystring':
        return request.query.get(name) ?? undefined;
      case 'stageVariables':
        return this.#api.stageVariables?.[name];
      default:
        return name === 'httpMethod' ? request.method : undefined;
    }
  }
}

function grantIn(payload: string, latencyMs: number): Grant | undefined {
  const answer = JSON.parse(payload) as Record<string, unknown> | null;
  const principalId = answer?.['principalId'];
  const statements = statementsOf(answer?.['policyDocument']);
  if (typeof principalId !== 'string' || !statements) return undefined;
  const own = Object.entries((answer?.['context'] ?? {}) as Record<string, unknown>);
  if (!own.every(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))) {
    return undefined;
  }
  return {
    statements,
    context: {
      ...Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
      principalId,
      integrationLatency: latencyMs,
    },
  };
}
