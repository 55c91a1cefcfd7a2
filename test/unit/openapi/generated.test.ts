import fc from 'fast-check';
import { expect, it } from '@jest/globals';
import { DOCUMENTED } from '../../support/contract/document.ts';
import { schemaFaults } from '../../support/contract/schema-faults.ts';
import { hostileRequests, validRequests } from '../../support/generated/requests.ts';
import { validValues } from '../../support/generated/valid-values.ts';

it.each(DOCUMENTED)('bodies generated for $operationId are such as it documents', (operation) => {
  const { schema } = operation.requestBody?.content['application/json'] ?? {};
  if (schema === undefined) return;

  fc.assert(
    fc.property(validValues(schema), (value) => {
      expect(schemaFaults(schema, JSON.parse(JSON.stringify(value)))).toEqual([]);
    }),
    { seed: 1 },
  );
});

it.each(DOCUMENTED)('requests can be generated for $operationId', (operation) => {
  for (const requests of [validRequests(operation, {}), hostileRequests(operation, {})]) {
    expect(fc.sample(requests, { seed: 1, numRuns: 50 })).toHaveLength(50);
  }
});
