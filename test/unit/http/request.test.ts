import { describe, expect, it } from '@jest/globals';
import { callerSpanOf, pathsOf } from '../../../lambdas/http/request.ts';
import { formatTraceparent } from '../../../src/core/trace/trace-context.ts';
import { jsonPointer } from '../../../lambdas/http/json-pointer.ts';
import { anEvent } from '../../support/http.ts';

const TRACE = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('links', () => {
  it.each([
    { name: 'the stage', resource: '/jobs', stagePrefix: '/v1', expected: '/v1/jobs/j' },
    {
      name: 'the base path of a domain',
      resource: '/jobs',
      stagePrefix: '/agents/x',
      expected: '/agents/x/jobs/j',
    },
    { name: 'no prefix at all', resource: '/jobs', stagePrefix: '', expected: '/jobs/j' },
    {
      name: 'a deeper resource',
      resource: '/jobs/{jobId}/trace',
      stagePrefix: '/v1',
      expected: '/v1/jobs/j',
    },
  ])('begin with $name', ({ resource, stagePrefix, expected }) => {
    const event = anEvent({ resource, stagePrefix, pathParameters: { jobId: 'j' } });

    expect(pathsOf(event)('j')).toBe(expected);
  });
});

describe('traceparent', () => {
  it.each([
    { name: 'is taken when well-formed', value: TRACE, expected: TRACE },
    { name: 'is left out in version ff', value: `ff${TRACE.slice(2)}`, expected: undefined },
    {
      name: 'is left out with a zero trace id',
      value: `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
      expected: undefined,
    },
    { name: 'is left out in capitals', value: TRACE.toUpperCase(), expected: undefined },
    { name: 'is left out when sent twice', value: [TRACE, TRACE], expected: undefined },
  ])('$name', ({ value, expected }) => {
    const span = callerSpanOf(anEvent({ headers: { traceparent: value } }));

    expect(span && formatTraceparent(span)).toBe(expected);
  });
});

describe('JSON Pointer', () => {
  it('escapes tilde and slash', () => {
    expect(jsonPointer(['input', 'a/b', 'c~d', 0])).toBe('/input/a~1b/c~0d/0');
  });

  it('is empty for the whole document', () => {
    expect(jsonPointer([])).toBe('');
  });

  it('is cut where a caller sent a name of megabytes', () => {
    expect(jsonPointer(['~'.repeat(2_000_000), 'a'])).toBe(`/${'~0'.repeat(511)}~…`);
  });
});
