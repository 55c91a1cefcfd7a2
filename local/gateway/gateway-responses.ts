import type { Deployment } from '../template/deployment.ts';
import { TemplateError } from '../template/template-error.ts';
import { type ContextVariables, isOneOf, RESPONSE_VARIABLES } from './context-variables.ts';
import type { GatewayAnswer } from './proxy-response.ts';

/** https://docs.aws.amazon.com/apigateway/latest/developerguide/supported-gateway-response-types.html */
const DEFAULTS = {
  ACCESS_DENIED: [403, 'AccessDeniedException', 'User is not authorized to access this resource'],
  API_CONFIGURATION_ERROR: [500, 'InternalServerErrorException', 'Internal server error'],
  AUTHORIZER_CONFIGURATION_ERROR: [500, 'AuthorizerConfigurationException', null],
  AUTHORIZER_FAILURE: [500, 'AuthorizerConfigurationException', null],
  BAD_REQUEST_BODY: [400, 'BadRequestException', 'Invalid request body'],
  BAD_REQUEST_PARAMETERS: [400, 'BadRequestException', 'Invalid request parameters'],
  EXPIRED_TOKEN: [403, 'ExpiredTokenException', 'The security token included is expired'],
  INTEGRATION_FAILURE: [504, 'InternalServerErrorException', 'Internal server error'],
  INTEGRATION_TIMEOUT: [504, 'InternalServerErrorException', 'Endpoint request timed out'],
  INVALID_API_KEY: [403, 'ForbiddenException', 'Forbidden'],
  INVALID_SIGNATURE: [403, 'InvalidSignatureException', 'Forbidden'],
  MISSING_AUTHENTICATION_TOKEN: [
    403,
    'MissingAuthenticationTokenException',
    'Missing Authentication Token',
  ],
  QUOTA_EXCEEDED: [429, 'LimitExceededException', 'Limit Exceeded'],
  REQUEST_TOO_LARGE: [413, 'RequestTooLargeException', 'Request Too Long'],
  RESOURCE_NOT_FOUND: [404, 'NotFoundException', 'Not found'],
  THROTTLED: [429, 'TooManyRequestsException', 'Too Many Requests'],
  UNAUTHORIZED: [401, 'UnauthorizedException', 'Unauthorized'],
  UNSUPPORTED_MEDIA_TYPE: [415, 'BadRequestException', 'Unsupported Media Type'],
  WAF_FILTERED: [403, 'ForbiddenException', 'Forbidden'],
  DEFAULT_4XX: [400, 'BadRequestException', 'Bad Request'],
  // A function that failed or answered what is not a response.
  DEFAULT_5XX: [502, 'InternalServerErrorException', 'Internal server error'],
} as const;

export type GatewayResponseType = keyof typeof DEFAULTS;

interface Configured {
  readonly status: number | undefined;
  readonly contentType: string;
  readonly template: string;
  readonly headers: Readonly<Record<string, string>>;
}

const DEFAULT_TEMPLATE = '{"message":$context.error.messageString}';
const VARIABLE = /\$(context|stageVariables|input|util)\.[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*/g;

/** The refusals of the gateway itself, in the words of the template where it has any. */
export class GatewayResponses {
  readonly #configured: ReadonlyMap<string, Configured>;

  constructor(deployment: Deployment) {
    this.#configured = new Map(
      deployment.ofType('AWS::ApiGateway::GatewayResponse').map(({ logicalId, properties }) => {
        const [[contentType, template] = ['application/json', DEFAULT_TEMPLATE]] = Object.entries(
          properties.textMap('ResponseTemplates'),
        );
        checkVariables(logicalId, template);
        const type = properties.text('ResponseType');
        if (!Object.hasOwn(DEFAULTS, type)) {
          throw new TemplateError(logicalId, `unknown gateway response type ${type}`);
        }
        const headers = responseHeaders(logicalId, properties.textMap('ResponseParameters'));
        const status = properties.numberOr('StatusCode', undefined);
        return [type, { status, contentType, template, headers }];
      }),
    );
  }

  /** `context` holds what `errorVariables` says. */
  answer(type: GatewayResponseType, context: ContextVariables): GatewayAnswer {
    const [defaultStatus, errorType] = DEFAULTS[type];
    const fallback = defaultStatus < 500 ? 'DEFAULT_4XX' : 'DEFAULT_5XX';
    const own = this.#configured.get(type);
    const configured = own ?? this.#configured.get(fallback);
    const fill = (text: string) =>
      text.replaceAll(VARIABLE, (variable) => context[variable.slice('$context.'.length)] ?? '');
    return {
      status: configured?.status ?? defaultStatus,
      headers: {
        'content-type': configured?.contentType ?? 'application/json',
        'x-amzn-errortype': errorType,
        ...Object.fromEntries(
          Object.entries(configured?.headers ?? {}).map(([name, value]) => [name, fill(value)]),
        ),
      },
      body: fill(configured?.template ?? DEFAULT_TEMPLATE),
    };
  }
}

/** What a refusal adds to the variables of its request. */
export function errorVariables(type: GatewayResponseType): ContextVariables {
  const [, , message] = DEFAULTS[type];
  return {
    'error.message': message ?? 'null',
    'error.messageString': JSON.stringify(message),
    'error.responseType': type,
  };
}

function checkVariables(where: string, template: string): void {
  for (const [variable] of template.matchAll(VARIABLE)) {
    if (isOneOf(RESPONSE_VARIABLES, variable)) continue;
    throw new TemplateError(where, `unknown variable ${variable} in a gateway response`);
  }
}

/** `gatewayresponse.header.Retry-After: "'5'"`, or a context variable without the quotes. */
function responseHeaders(
  where: string,
  parameters: Readonly<Record<string, string>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(parameters).map(([name, value]) => {
      const [, header] = /^gatewayresponse\.header\.(.+)$/.exec(name) ?? [];
      const [, literal] = /^'(.*)'$/.exec(value) ?? [];
      const variable = value.startsWith('context.') ? `$${value}` : undefined;
      if (header === undefined || (literal === undefined && variable === undefined)) {
        throw new TemplateError(where, `unknown response parameter ${name}: ${value}`);
      }
      if (variable !== undefined) checkVariables(where, variable);
      return [header.toLowerCase(), literal ?? variable ?? ''];
    }),
  );
}
