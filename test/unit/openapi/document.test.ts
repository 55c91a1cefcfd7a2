import { describe, expect, it } from '@jest/globals';
import { openapiText } from '../../../scripts/openapi/openapi-text.ts';
import type { Example, Operation } from '../../../src/protocol/operation.ts';
import { OPERATIONS } from '../../../src/protocol/operations.ts';
import { type OperationId, type Route, ROUTES } from '../../../src/protocol/routes.ts';
import { readProjectFile } from '../../support/source-tree.ts';

const { version } = JSON.parse(readProjectFile('package.json')) as { version: string };
const operations = Object.entries(OPERATIONS) as [OperationId, Operation][];

describe('the OpenAPI document', () => {
  it('is what the route table and the operations yield: after a change run npm run openapi', async () => {
    expect(readProjectFile('src/protocol/openapi.json')).toBe(await openapiText(version));
  });

  it.each(ROUTES)('$operationId describes each parameter of its path', ({ operationId, path }) => {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);

    expect(Object.keys(OPERATIONS[operationId].path?.shape ?? {})).toEqual(named);
  });

  it.each(ROUTES)('$operationId takes query parameters if it describes some', (route: Route) => {
    const { query } = OPERATIONS[route.operationId as OperationId];

    expect(route.hasQuery ?? false).toBe(query !== undefined);
  });

  it.each(operations)('shows %s by examples that its schemas accept', (_id, operation) => {
    const shown = [operation.body, ...Object.values(operation.answers)].flatMap((part) =>
      Object.values<Example>(part?.examples ?? {}).map(({ value }) =>
        part?.schema?.safeParse(value),
      ),
    );

    expect(shown.filter((parsed) => parsed?.success !== true)).toEqual([]);
  });
});
