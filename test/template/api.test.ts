import { describe, expect, it } from '@jest/globals';
import { Match } from 'aws-cdk-lib/assertions';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { PROBLEMS, type ProblemCode } from '../../src/protocol/problems.ts';
import { problemSchema } from '../../src/protocol/problem.ts';
import { type Route, ROUTES, STAGE } from '../../src/protocol/routes.ts';
import { resourcesByPath, synthesize } from './synthesize.ts';

const { template } = synthesize();
const METHODS = 'Longhaul/JobApi/Api/Default';
const methods = resourcesByPath(template, 'AWS::ApiGateway::Method');
const routes: readonly Route[] = ROUTES;

/** Logical id of the function that a method calls. */
function calls(path: string): string {
  const uri = JSON.stringify(methods[path]?.Properties['Integration']);
  const [, logicalId = 'none'] = /"Fn::GetAtt":\["(\w+)","Arn"\]/.exec(uri) ?? [];
  return logicalId;
}

describe('routes', () => {
  it.each(routes)('$method $path calls the $servedBy function', ({ method, path, servedBy }) => {
    const id = {
      submit: 'LonghaulSubmit',
      api: 'LonghaulApi',
      events: 'LonghaulEvents',
      schedules: 'LonghaulSchedulesFunction',
    }[servedBy];

    expect(calls(`${METHODS}${path}/${method}`)).toMatch(new RegExp(`^${id}[0-9A-F]{8}$`));
  });

  it.each(routes)('$method $path asks for a key only if it has a scope', (route) => {
    const { AuthorizationType } = methods[`${METHODS}${route.path}/${route.method}`]
      ?.Properties ?? { AuthorizationType: 'no such method' };

    expect(AuthorizationType).toBe(route.scope === undefined ? 'NONE' : 'CUSTOM');
  });

  it.each([
    ...new Set(routes.flatMap(({ path }) => [path, path.replace(/\/[^/]+$/, '')])),
    '/{proxy+}',
  ])('any other method of %j is answered by the api function, without a key', (path) => {
    expect(calls(`${METHODS}${path}/ANY`)).toMatch(/^LonghaulApi[0-9A-F]{8}$/);
    expect(methods[`${METHODS}${path}/ANY`]?.Properties['AuthorizationType']).toBe('NONE');
  });

  it('streams the events of a job, within the longest time API Gateway allows', () => {
    const { Integration } = methods[`${METHODS}/jobs/{jobId}/events/GET`]?.Properties ?? {};

    expect(Integration).toMatchObject({ ResponseTransferMode: 'STREAM', TimeoutInMillis: 900_000 });
    expect(JSON.stringify(Integration)).toContain('/response-streaming-invocations');
  });

  it('holds nothing else', () => {
    const expected = routes.map(({ method, path }) => `${METHODS}${path}/${method}`);
    const others = Object.keys(methods).filter((path) => !path.endsWith('/ANY'));

    expect(others.sort()).toEqual(expected.sort());
  });

  it('gives each function one permission, however many routes it serves', () => {
    template.resourcePropertiesCountIs(
      'AWS::Lambda::Permission',
      { Principal: 'apigateway.amazonaws.com' },
      5,
    );
  });
});

describe('stage', () => {
  it('has the name that links are made with, tracing and the throttle of the configuration', () => {
    synthesize({
      apiThrottle: { rateLimit: 50, burstLimit: 70 },
    }).template.hasResourceProperties('AWS::ApiGateway::Stage', {
      StageName: STAGE,
      TracingEnabled: true,
      MethodSettings: [
        Match.objectLike({
          HttpMethod: '*',
          ResourcePath: '/*',
          ThrottlingRateLimit: 50,
          ThrottlingBurstLimit: 70,
        }),
      ],
    });
  });

  it('is regional', () => {
    template.hasResourceProperties('AWS::ApiGateway::RestApi', {
      EndpointConfiguration: { Types: ['REGIONAL'] },
    });
  });
});

describe('access logs', () => {
  const GROUP = 'Longhaul/JobApi/AccessLogs';
  const synthesized = {
    newRole: template,
    existingRole: synthesize({ apiAccessLogs: 'existingRole' }).template,
    off: synthesize({ apiAccessLogs: 'off' }).template,
  };
  const [stage] = Object.values(resourcesByPath(template, 'AWS::ApiGateway::Stage'));
  const { Format: format = '' } = stage?.Properties['AccessLogSetting'] as { Format?: string };

  it('hold the request id of the problem and how the request went', () => {
    expect(JSON.parse(format)).toEqual({
      requestId: '$context.requestId',
      extendedRequestId: '$context.extendedRequestId',
      ip: '$context.identity.sourceIp',
      requestTime: '$context.requestTime',
      httpMethod: '$context.httpMethod',
      resourcePath: '$context.resourcePath',
      path: '$context.path',
      status: '$context.status',
      responseLength: '$context.responseLength',
      responseLatency: '$context.responseLatency',
      integrationLatency: '$context.integrationLatency',
      tenantId: '$context.authorizer.tenantId',
      errorResponseType: '$context.error.responseType',
    });
  });

  it.each([
    { environment: 'production', logRetentionDays: 365, kept: 'Retain' },
    { environment: 'development', logRetentionDays: 7, kept: 'Delete' },
  ] as const)('are kept as configured in $environment', ({ kept, ...config }) => {
    const group = resourcesByPath(synthesize(config).template, 'AWS::Logs::LogGroup')[GROUP];

    expect(group).toMatchObject({
      Properties: { RetentionInDays: config.logRetentionDays },
      DeletionPolicy: kept,
    });
  });

  it.each([
    { apiAccessLogs: 'newRole', groups: 1, accounts: 1 },
    { apiAccessLogs: 'existingRole', groups: 1, accounts: 0 },
    { apiAccessLogs: 'off', groups: 0, accounts: 0 },
  ] as const)('$apiAccessLogs makes what it says', ({ apiAccessLogs, groups, accounts }) => {
    const made = synthesized[apiAccessLogs];
    const logGroups = Object.keys(resourcesByPath(made, 'AWS::Logs::LogGroup'));

    expect(logGroups.filter((path) => path === GROUP)).toHaveLength(groups);
    made.resourceCountIs('AWS::ApiGateway::Account', accounts);
    made.hasResourceProperties('AWS::ApiGateway::Stage', {
      AccessLogSetting: groups === 0 ? Match.absent() : Match.objectLike({ Format: format }),
    });
  });

  it('have a role that stays when the stack goes, since other APIs may log by it', () => {
    template.hasResource('AWS::ApiGateway::Account', { DeletionPolicy: 'Retain' });
    template.hasResource('AWS::IAM::Role', {
      DeletionPolicy: 'Retain',
      Properties: { ManagedPolicyArns: [Match.anyValue()] },
    });
  });
});

describe('authorizer', () => {
  it('sees the Authorization header, and its verdict holds 60 s', () => {
    template.hasResourceProperties('AWS::ApiGateway::Authorizer', {
      Type: 'REQUEST',
      IdentitySource: 'method.request.header.Authorization',
      AuthorizerResultTtlInSeconds: 60,
    });
  });
});

describe('gateway responses', () => {
  const responses = Object.values(resourcesByPath(template, 'AWS::ApiGateway::GatewayResponse'));
  const bodies = responses.map(({ Properties }) => ({
    type: Properties['ResponseType'],
    status: Properties['StatusCode'],
    parameters: Properties['ResponseParameters'] as Record<string, string>,
    body: problemSchema.parse(
      JSON.parse(
        (Properties['ResponseTemplates'] as Record<string, string>)['application/json'] ?? '',
      ),
    ),
  }));

  it('cover every refusal API Gateway knows', () => {
    const known = Object.values(ResponseType).map((type: ResponseType) => type.responseType);

    expect(bodies.map(({ type }) => type).sort()).toEqual(known.sort());
  });

  it.each(bodies)('$type has status and title of its code, as the handlers have', (response) => {
    const { code, status, title } = response.body;

    expect({ status, title }).toEqual(PROBLEMS[code as ProblemCode]);
    expect(response.status).toBe(String(status));
  });

  it.each(bodies)('$type is problem+json and carries the request id', ({ parameters, body }) => {
    expect(parameters).toMatchObject({
      'gatewayresponse.header.Content-Type': "'application/problem+json'",
      'gatewayresponse.header.x-request-id': 'context.requestId',
    });
    expect(body.requestId).toBe('$context.requestId');
  });

  it('sends callers to poll when a function takes no more requests', () => {
    // Neither name is documented for what Lambda throttles.
    const types = ['API_CONFIGURATION_ERROR', 'INTEGRATION_FAILURE'];
    const answers = bodies.filter(({ type }) => types.includes(String(type)));

    expect(answers.map(({ status }) => status)).toEqual(['503', '503']);
    for (const { parameters } of answers) {
      expect(parameters['gatewayresponse.header.Retry-After']).toMatch(/^'\d+'$/);
    }
  });

  it('answers 401 to every kind of bad key, and says which scheme is wanted', () => {
    const keys = ['UNAUTHORIZED', 'ACCESS_DENIED', 'INVALID_API_KEY'];
    const answers = bodies.filter(({ type }) => keys.includes(String(type)));

    expect(answers.map(({ status }) => status)).toEqual(['401', '401', '401']);
    for (const { parameters } of answers) {
      expect(parameters['gatewayresponse.header.WWW-Authenticate']).toBe("'Bearer'");
    }
  });
});
