import type { APIGatewayProxyResult } from 'aws-lambda';
import { PROBLEM_MEDIA_TYPE, type Problem, problemType } from '../../src/protocol/problem.ts';
import { PROBLEMS, type ProblemCode } from '../../src/protocol/problems.ts';
import type { RefusalFacts } from './request-refused.ts';

/** What a route answers; the wrapper turns it into API Gateway's form. */
export interface HttpResponse {
  readonly status: number;
  /** Absent: the answer has none, such as a 304. */
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

export const REQUEST_ID_HEADER = 'x-request-id';

export function jsonResult(response: HttpResponse, requestId: string): APIGatewayProxyResult {
  return {
    statusCode: response.status,
    headers: {
      ...(response.body !== undefined && { 'content-type': 'application/json' }),
      'cache-control': 'no-store',
      ...response.headers,
      [REQUEST_ID_HEADER]: requestId,
    },
    body: response.body === undefined ? '' : JSON.stringify(response.body),
  };
}

export function problemResult(
  problem: { readonly code: ProblemCode; readonly detail: string } & RefusalFacts,
  requestId: string,
): APIGatewayProxyResult {
  const { code, detail, headers, ...facts } = problem;
  const body: Problem = {
    type: problemType(code),
    ...PROBLEMS[code],
    detail,
    code,
    requestId,
    ...facts,
  };
  return jsonResult(
    {
      status: PROBLEMS[code].status,
      body,
      headers: { ...headers, 'content-type': PROBLEM_MEDIA_TYPE },
    },
    requestId,
  );
}
