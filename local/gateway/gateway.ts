import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Invocation, InvocationOutcome } from '../lambda/execution-environment.ts';
import type { Deployment } from '../template/deployment.ts';
import { accessLine } from './access-log.ts';
import type { RestApi } from './api-model.ts';
import { Authorizer } from './authorizer.ts';
import { type ContextVariables, contextVariables } from './context-variables.ts';
import { gatewayRequest, type GatewayRequest } from './gateway-request.ts';
import { errorVariables, GatewayResponses, type GatewayResponseType } from './gateway-responses.ts';
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

/** What the gateway works with beyond the template. */
export interface GatewayLinks {
  readonly invoke: Invoke;
  /** Told the status of each answer. */
  readonly onAnswer: (status: number) => void;
  /** Takes a line of the access log. */
  readonly log: (line: string) => void;
}

interface Exchange {
  readonly request: GatewayRequest;
  readonly response: ServerResponse;
  /** What became known of the request so far. */
  readonly context: Record<string, string>;
}

/** The REST API of the template, served over HTTP the way API Gateway serves it. */
export class Gateway {
  readonly #api: RestApi;
  readonly #responses: GatewayResponses;
  readonly #authorizers: ReadonlyMap<string, Authorizer>;
  readonly #throttle: Throttle;
  readonly #links: GatewayLinks;

  constructor(api: RestApi, deployment: Deployment, links: GatewayLinks) {
    this.#api = api;
    this.#links = links;
    this.#throttle = new Throttle(api.throttle, Date.now());
    this.#responses = new GatewayResponses(deployment);
    const configs = api.routes.flatMap(({ authorizer }) => authorizer ?? []);
    this.#authorizers = new Map(
      configs.map((config) => [
        config.logicalId,
        new Authorizer(api, config, (functionName, payload, traceId) =>
          links.invoke(functionName, { requestId: crypto.randomUUID(), payload, traceId }),
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
    const context = { ...contextVariables(this.#api, request) };
    const body = await readBody(message, BODY_LIMIT_BYTES);
    if (!isOfStage) {
      // Another stage does not exist, so there is no template whose words could be used.
      const headers = {
        'content-type': 'application/json',
        'x-amzn-errortype': 'ForbiddenException',
      };
      send(request, response, { status: 403, headers, body: '{"message":"Forbidden"}' });
    } else if (body === undefined) {
      this.#refuse({ request, response, context }, 'REQUEST_TOO_LARGE');
    } else {
      const whole = { ...request, body: body === '' ? null : body };
      await this.#route({ request: whole, response, context });
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
    exchange.context['resourcePath'] = match.route.path;
    const authorizer = this.#authorizers.get(match.route.authorizer?.logicalId ?? '');
    const verdict = await authorizer?.authorize(match, request);
    if (verdict?.allowed === false) {
      this.#refuse(exchange, verdict.refusal);
      return;
    }
    Object.assign(exchange.context, authorizerVariables(verdict?.context));
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
      this.#refuse(exchange, 'REQUEST_TOO_LARGE');
      return;
    }
    const stream = match.route.streams
      ? new StreamedResponse(response, ownHeaders(request))
      : undefined;
    const invokedAt = Date.now();
    const limit = new TimeLimit(match.route.timeoutMs);
    const outcome = await limit.race(
      this.#links.invoke(match.route.functionName, {
        requestId: crypto.randomUUID(),
        payload,
        traceId: request.traceId,
        onStart: limit.start,
        ...(stream && {
          onChunk: (chunk) => stream.write(chunk),
          abandoned: stream.abandoned,
        }),
      }),
    );
    exchange.context['integrationLatency'] = String(Date.now() - invokedAt);
    if (stream?.begun === true) {
      this.#note(exchange, response.statusCode, stream.bodyBytes);
      stream.end(outcome !== TIMED_OUT && outcome.ok);
    } else if (outcome === TIMED_OUT) this.#refuse(exchange, 'INTEGRATION_TIMEOUT');
    else this.#answer(exchange, match, outcome);
  }

  #answer(exchange: Exchange, match: RouteMatch, outcome: InvocationOutcome): void {
    const isThrottled = !outcome.ok && outcome.error.errorType === 'TooManyRequestsException';
    const answer = outcome.ok && !match.route.streams ? proxyResponse(outcome.payload) : undefined;
    if (answer) this.#send(exchange, answer);
    else this.#refuse(exchange, isThrottled ? 'API_CONFIGURATION_ERROR' : 'DEFAULT_5XX');
  }

  #refuse(exchange: Exchange, type: GatewayResponseType): void {
    Object.assign(exchange.context, errorVariables(type));
    this.#send(exchange, this.#responses.answer(type, exchange.context));
  }

  #send(exchange: Exchange, answer: GatewayAnswer): void {
    // Written first: whoever has the answer finds its line.
    this.#note(exchange, answer.status, Buffer.byteLength(answer.body));
    send(exchange.request, exchange.response, answer);
  }

  #note({ request, context }: Exchange, status: number, responseLength: number): void {
    this.#links.onAnswer(status);
    const { accessLogFormat } = this.#api;
    if (accessLogFormat === undefined) return;
    const line = accessLine(accessLogFormat, {
      ...context,
      status: String(status),
      responseLength: String(responseLength),
      responseLatency: String(Date.now() - request.receivedAt.getTime()),
    });
    this.#links.log(line);
  }
}

/** What an authorizer said of the caller, under the names of the variables. */
function authorizerVariables(said: AuthorizerContext = {}): ContextVariables {
  return Object.fromEntries(
    Object.entries(said).map(([name, value]) => [`authorizer.${name}`, String(value)]),
  );
}

function send(request: GatewayRequest, response: ServerResponse, answer: GatewayAnswer): void {
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
