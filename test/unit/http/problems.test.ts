import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { problemResult } from '../../../lambdas/http/http-response.ts';
import { PROBLEMS, type ProblemCode } from '../../../src/protocol/problems.ts';
import { problemSchema } from '../../../src/protocol/problem.ts';

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

describe('problem answers', () => {
  it('have a status for every code that can end a request', () => {
    const source = readFileSync(new URL('../../../src/errors.ts', import.meta.url), 'utf8');
    const union = /RequestErrorCode =([^;]+);/.exec(source)?.[1] ?? '';
    const codes = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);

    expect([...CODES].sort()).toEqual([...codes, 'internal_error'].sort());
  });

  it.each(CODES)('say %s in the form of RFC 9457', (code) => {
    const result = problemResult({ code, detail: 'what happened' }, 'request-1');

    expect(result.statusCode).toBe(PROBLEMS[code].status);
    expect(result.headers).toMatchObject({
      'content-type': 'application/problem+json',
      'x-request-id': 'request-1',
    });
    expect(problemSchema.parse(JSON.parse(result.body))).toMatchObject({
      type: `urn:longhaul:problem:${code}`,
      status: result.statusCode,
      code,
      detail: 'what happened',
      requestId: 'request-1',
    });
  });
});
