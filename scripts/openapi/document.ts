import { createDocument, type ZodOpenApiObject, type ZodOpenApiPathsObject } from 'zod-openapi';
import { TAGS } from '../../src/protocol/operation.ts';
import { type Route, ROUTES, STAGE } from '../../src/protocol/routes.ts';
import { NAMED_SCHEMAS } from './named-schemas.ts';
import { operationObject } from './operation-object.ts';
import { tidySchema } from './tidy-schema.ts';

/** The OpenAPI document of the API, from route table, operations and schemas alone. */
export function openapiDocument(version: string): OpenapiDocument {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Longhaul',
        version,
        summary: 'Runs long AI-agent jobs durably',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: `/${STAGE}`, description: 'Where this document is served' }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      security: [{ bearer: [] }],
      paths: paths(ROUTES),
      components: {
        schemas: { ...NAMED_SCHEMAS },
        securitySchemes: {
          bearer: {
            type: 'http',
            scheme: 'bearer',
            description:
              'An API key (`lh_…`), or a JWT of the issuer that the deployment is configured with. The scope an operation needs stands in its description.',
          },
        },
      },
    },
    { override: tidySchema },
  );
}

export type OpenapiDocument = ReturnType<typeof createDocument>;

const DESCRIPTION = `\
A client submits a job, gets 202 and its id at once, and reads later what became of it, or is called back.

Every answer that is not a success is \`application/problem+json\` (RFC 9457): branch on \`code\`. Answers may get further fields in
later versions; unknown fields in requests are refused.`;

function paths(routes: readonly Route[]): ZodOpenApiPathsObject {
  const items: Record<string, NonNullable<ZodOpenApiObject['paths']>[string]> = {};
  for (const route of routes) {
    items[route.path] = { ...items[route.path], [METHODS[route.method]]: operationObject(route) };
  }
  return items;
}

const METHODS = { GET: 'get', POST: 'post', PUT: 'put', DELETE: 'delete' } as const;
