import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface FixtureResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: Readonly<Record<string, unknown>>;
}

export interface FixtureTemplate {
  readonly Resources: Readonly<Record<string, FixtureResource>>;
  readonly Outputs?: Readonly<Record<string, { readonly Value: unknown }>>;
}

const FIXTURES = fileURLToPath(new URL('../fixtures', import.meta.url));

/** Writes a cloud assembly as `cdk synth` would; functions take their code from `fixtures/<bundle>.ts`. */
export async function writeAssembly(template: FixtureTemplate): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'longhaul-assembly-'));
  const bundles = bundlesOf(template);
  for (const bundle of bundles) {
    await writeBundle(bundle, join(directory, `asset.${bundle}`));
  }
  const write = (name: string, content: unknown) =>
    writeFile(join(directory, name), JSON.stringify(content));
  await write('Fixture.template.json', template);
  await write('Fixture.assets.json', {
    files: Object.fromEntries(
      bundles.map((bundle) => [
        bundle,
        {
          source: { path: `asset.${bundle}`, packaging: 'zip' },
          destinations: { current: { bucketName: 'assets', objectKey: `${bundle}.zip` } },
        },
      ]),
    ),
  });
  await write('manifest.json', {
    artifacts: {
      'Fixture.assets': {
        type: 'cdk:asset-manifest',
        properties: { file: 'Fixture.assets.json' },
      },
      Fixture: {
        type: 'aws:cloudformation:stack',
        properties: { templateFile: 'Fixture.template.json', stackName: 'Fixture' },
      },
    },
  });
  return directory;
}

/** Writes `fixtures/<bundle>.ts` as the bundle of a function. */
export async function writeBundle(bundle: string, directory: string): Promise<void> {
  const source = await readFile(join(FIXTURES, `${bundle}.ts`), 'utf8');
  await mkdir(directory);
  await writeFile(join(directory, 'index.mjs'), stripTypeScriptTypes(source));
}

function bundlesOf({ Resources }: FixtureTemplate): string[] {
  const keys = Object.values(Resources)
    .filter(({ Type }) => Type === 'AWS::Lambda::Function')
    .map(({ Properties }) => (Properties?.['Code'] as { S3Key: string }).S3Key);
  return [...new Set(keys.map((key) => key.replace('.zip', '')))];
}

/** A function whose code is `fixtures/<bundle>.ts`. */
export const aFunction = (
  bundle: string,
  properties: Readonly<Record<string, unknown>> = {},
): FixtureResource => ({
  Type: 'AWS::Lambda::Function',
  Properties: {
    Code: {
      S3Bucket: { 'Fn::Sub': 'cdk-hnb659fds-assets-${AWS::AccountId}-${AWS::Region}' },
      S3Key: `${bundle}.zip`,
    },
    Handler: 'index.handler',
    Runtime: 'nodejs24.x',
    MemorySize: 128,
    Timeout: 10,
    ...properties,
  },
});

const functionUri = (logicalId: string, streams: boolean) => ({
  'Fn::Join': [
    '',
    [
      'arn:',
      { Ref: 'AWS::Partition' },
      ':apigateway:',
      { Ref: 'AWS::Region' },
      streams ? ':lambda:path/2021-11-15/functions/' : ':lambda:path/2015-03-31/functions/',
      { 'Fn::GetAtt': [logicalId, 'Arn'] },
      streams ? '/response-streaming-invocations' : '/invocations',
    ],
  ],
});

export interface FixtureRoute {
  readonly method: string;
  readonly path: string;
  readonly function: string;
  readonly authorizer?: string;
  readonly streams?: boolean;
  readonly timeoutMs?: number;
}

/** A REST API with its stage `v1` and the resources that the paths need. */
export function anApi(
  routes: readonly FixtureRoute[],
  stage: Readonly<Record<string, unknown>> = {},
): Record<string, FixtureResource> {
  const resources: Record<string, FixtureResource> = {
    Api: { Type: 'AWS::ApiGateway::RestApi', Properties: { Name: 'fixture' } },
    Deployment: { Type: 'AWS::ApiGateway::Deployment', Properties: { RestApiId: { Ref: 'Api' } } },
    Stage: {
      Type: 'AWS::ApiGateway::Stage',
      Properties: {
        RestApiId: { Ref: 'Api' },
        DeploymentId: { Ref: 'Deployment' },
        StageName: 'v1',
        ...stage,
      },
    },
  };
  for (const route of routes) {
    const resourceId = addResources(resources, route.path);
    resources[`Method${route.method}${idOf(route.path)}`] = {
      Type: 'AWS::ApiGateway::Method',
      Properties: {
        RestApiId: { Ref: 'Api' },
        ResourceId: resourceId,
        HttpMethod: route.method,
        AuthorizationType: route.authorizer === undefined ? 'NONE' : 'CUSTOM',
        ...(route.authorizer !== undefined && { AuthorizerId: { Ref: route.authorizer } }),
        Integration: {
          Type: 'AWS_PROXY',
          IntegrationHttpMethod: 'POST',
          Uri: functionUri(route.function, route.streams === true),
          ...(route.streams === true && { ResponseTransferMode: 'STREAM' }),
          ...(route.timeoutMs !== undefined && { TimeoutInMillis: route.timeoutMs }),
        },
      },
    };
  }
  return resources;
}

function addResources(resources: Record<string, FixtureResource>, path: string): unknown {
  let parent: unknown = { 'Fn::GetAtt': ['Api', 'RootResourceId'] };
  let walked = '';
  for (const part of path.split('/').filter((segment) => segment !== '')) {
    walked += `/${part}`;
    const logicalId = `Resource${idOf(walked)}`;
    resources[logicalId] ??= {
      Type: 'AWS::ApiGateway::Resource',
      Properties: { RestApiId: { Ref: 'Api' }, ParentId: parent, PathPart: part },
    };
    parent = { Ref: logicalId };
  }
  return parent;
}

const idOf = (path: string) => path.replaceAll(/[^A-Za-z0-9]/g, '');

export const anAuthorizer = (
  logicalId: string,
  properties: Readonly<Record<string, unknown>>,
): FixtureResource => ({
  Type: 'AWS::ApiGateway::Authorizer',
  Properties: {
    Name: 'fixture',
    RestApiId: { Ref: 'Api' },
    AuthorizerUri: functionUri(logicalId, false),
    AuthorizerResultTtlInSeconds: 60,
    ...properties,
  },
});
