import type { ZodOpenApiOperationObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { everyAnswer } from '../../src/protocol/answer-headers.ts';
import type { Answer, Example, Operation, RequestBody } from '../../src/protocol/operation.ts';
import { OPERATIONS } from '../../src/protocol/operations.ts';
import type { OperationId, Route } from '../../src/protocol/routes.ts';
import { jobLinks } from './job-links.ts';
import { problemResponses } from './problem-responses.ts';

/** One route in OpenAPI's terms. */
export function operationObject(route: Route): ZodOpenApiOperationObject {
  const operation = OPERATIONS[route.operationId as OperationId];
  const { path, query, headers: header, body } = operation;
  return {
    operationId: route.operationId,
    tags: [operation.tag],
    summary: route.summary,
    ...descriptionOf(route, operation),
    ...(route.scope === undefined && { security: [] }),
    requestParams: {
      ...(path !== undefined && { path }),
      ...(query !== undefined && { query }),
      ...(header !== undefined && { header }),
    },
    ...(body !== undefined && { requestBody: requestBody(body) }),
    responses: {
      ...(Object.fromEntries(
        Object.entries(operation.answers).map(([status, answer]) => [status, response(answer)]),
      ) as ZodOpenApiResponsesObject),
      ...problemResponses(route, operation),
    },
  };
}

function descriptionOf(route: Route, { description }: Operation): { description?: string } {
  const scope = route.scope === undefined ? undefined : `Scope: \`${route.scope}\`.`;
  const parts = [description, scope].filter((part) => part !== undefined);
  return parts.length === 0 ? {} : { description: parts.join('\n\n') };
}

function requestBody({ schema, description, optional = false, examples }: RequestBody) {
  return {
    description,
    required: !optional,
    content: { 'application/json': { schema, ...examplesOf(examples) } },
  };
}

function response(answer: Answer) {
  const { description, schema, mediaType, headers, examples } = answer;
  return {
    description,
    ...jobLinks(answer),
    headers: everyAnswer.extend(headers?.shape ?? {}),
    ...(schema !== undefined && {
      content: { [mediaType ?? 'application/json']: { schema, ...examplesOf(examples) } },
    }),
  };
}

function examplesOf(examples: Readonly<Record<string, Example>> | undefined) {
  return examples === undefined ? {} : { examples: { ...examples } };
}
