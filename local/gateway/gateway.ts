import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Invocation, InvocationOutcome } from '../lambda/execution-environment.ts';
import type { Deployment } from '../template/deployment.ts';
import { ACCOUNT } from '../template/identity.ts';
import type { RestApi } from './api-model.ts';
import { Authorizer } from './authorizer.ts';
import { gatewayRequest, headerOf, type GatewayRequest } from './gateway-request.ts';
import { GatewayResponses, type GatewayResponseType } from './gateway-responses.ts';
import { matchRoute, type RouteMatch } from './match-route.ts';
import { proxyEvent, type AuthorizerContext } from './proxy-event.ts';
import { proxyResponse, type GatewayAnswer } from './proxy-response.ts';
import { readBody } from './read-body.ts';
import { StreamedResponse } from './streamed-response.ts';
import { Throttle } from './throttle.ts';
import { TIMED_OUT, TimeLimit } from './time-limit.ts';

type Invoke = (functionName: string, invocation: Invocation) => Promise<InvocationOutcome>;

const BODY_LIMIT_BYTES = 10 * 1024 * 1024;
const LAMBDA_REQUEST_LIMIT_BYTES = 6 * 1024 * 1024;

interface Exchange {
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
}

/** The REST API of the template, served over HTTP the way API Gateway serves it. */
export class Gateway {
  readonly #api: RestApi;
  readonly #responses: GatewayResponses;
  readonly #authorizers: ReadonlyMap<string, Authorizer>;
  readonly #throttle: Throttle;
  readonly #invoke: Invoke;

  constructor(api: RestApi, deployment: Deployment, invoke: Invoke) {
    this.#api = api;
    this.#invoke = invoke;
    this.#throttle = new Throttle(api.throttle, Date.now());
    this.#responses = new GatewayResponses(deployment);
    const configs = api.routes.flatMap(({ authorizer }) => authorizer ?? []);
    this.#authorizers = new Map(
      configs.map((config) => [
        config.logicalId,
        new Authorizer(api, config, (functionName, payload, traceId) =>
          invoke(functionName, { requestId: crypto.randomUUID(), payload, traceId }),
        ),
      ]),
    );
  }

  /** Serves one request; `url` is that of the message, parsed. */
  async serve(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const prefix = `/${this.#api.stage}`;
    const isOfStage = url.pathname === prefix || url.pathname.startsWith(`${prefix}/`);
    const path = isOfStage ? url.pathname.slice(prefix.length) || '/' : url.pathname;
    const request = gatewayRequest({ message, path, query: url.searchParams });
    const body = await readBody(message, BODY_LIMIT_BYTES);
    if (!isOfStage) {
      // Another stage does not exist, so there is no template whose words could be used.
      const headers = {
        'content-type': 'application/json',
        'x-amzn-errortype': 'ForbiddenException',
      };
      send({ request, response }, { status: 403, headers, body: '{"message":"Forbidden"}' });
    } else if (body === undefined) {
      this.#refuse({ request, response }, 'REQUEST_TOO_LARGE');
    } else {
      await this.#route({ request: { ...request, body: body === '' ? null : body }, response });
    }
  }

  async #route(exchange: Exchange): Promise<void> {
    const { request } = exchange;
    if (!this.#throttle.admits(Date.now())) {
      this.#refuse(exchange, 'THROTTLED');
      return;
    }
    const match = matchRoute(this.#api.routes, request.method, request.path);
    if (!match) {
      this.#refuse(exchange, 'MISSING_AUTHENTICATION_TOKEN');
      return;
    }
    const authorizer = this.#authorizers.get(match.route.authorizer?.logicalId ?? '');
    const verdict = await authorizer?.authorize(match, request);
    if (verdict?.allowed === false) {
      this.#refuse(exchange, verdict.refusal, match);
      return;
    }
    await this.#integrate(exchange, match, verdict?.context);
  }

  async #integrate(
    exchange: Exchange,
    match: RouteMatch,
    authorizer: AuthorizerContext | undefined,
  ): Promise<void> {
    const { request, response } = exchange;
    const payload = JSON.stringify(proxyEvent(this.#api, match, { ...request, authorizer }));
    if (Buffer.byteLength(payload) > LAMBDA_REQUEST_LIMIT_BYTES) {
      this.#refuse(exchange, 'REQUEST_TOO_LARGE', match);
      return;
    }
    const stream = match.route.streams
      ? new StreamedResponse(response, ownHeaders(request))
      : undefined;
    const limit = new TimeLimit(match.route.timeoutMs);
    const outcome = await limit.race(
      this.#invoke(match.route.functionName, {
        requestId: crypto.randomUUID(),
        payload,
        traceId: request.traceId,
        onStart: limit.start,
        ...(stream && {
          onChunk: (chunk) => {
            stream.write(chunk);
          },
        }),
      }),
    );
    if (stream?.begun === true) stream.end(outcome !== TIMED_OUT && outcome.ok);
    else if (outcome === TIMED_OUT) this.#refuse(exchange, 'INTEGRATION_TIMEOUT', match);
    else this.#answer(exchange, match, outcome);
  }

  #answer(exchange: Exchange, match: RouteMatch, outcome: InvocationOutcome): void {
    const isThrottled = !outcome.ok && outcome.error.errorType === 'TooManyRequestsException';
    const answer = outcome.ok && !match.route.streams ? proxyResponse(outcome.payload) : undefined;
    if (answer) send(exchange, answer);
    else this.#refuse(exchange, isThrottled ? 'API_CONFIGURATION_ERROR' : 'DEFAULT_5XX', match);
  }

  #refuse(exchange: Exchange, type: GatewayResponseType, match?: RouteMatch): void {
    const { request } = exchange;
    const answer = this.#responses.answer(type, {
      accountId: ACCOUNT,
      apiId: this.#api.id,
      extendedRequestId: request.extendedRequestId,
      httpMethod: request.method,
      'identity.sourceIp': request.sourceIp,
      'identity.userAgent': headerOf(request, 'user-agent') ?? '',
      path: `/${this.#api.stage}${request.path}`,
      protocol: 'HTTP/1.1',
      requestId: request.requestId,
      requestTime: request.receivedAt.toISOString(),
      requestTimeEpoch: String(request.receivedAt.getTime()),
      resourcePath: match?.route.path ?? '',
      stage: this.#api.stage,
    });
    send(exchange, answer);
  }
}

function send({ request, response }: Exchange, answer: GatewayAnswer): void {
  const body = Buffer.from(answer.body as string);
  const headers: Record<string, number | string | readonly string[]> = {
    ...answer.headers,
    ...ownHeaders(request),
    'content-length': body.length,
  };
  response.writeHead(answer.status, headers as OutgoingHttpHeaders);
  response.end(body);
}

const ownHeaders = (request: GatewayRequest) => ({
  'x-amzn-requestid': request.requestId,
  'x-amz-apigw-id': request.extendedRequestId,
  'x-amzn-trace-id': request.traceId.split(';')[0] ?? '',
});
