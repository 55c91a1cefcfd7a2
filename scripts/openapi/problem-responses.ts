import type { ZodOpenApiResponseObject } from 'zod-openapi';
import * as z from 'zod';
import { everyAnswer, PROBLEM_HEADERS } from '../../src/protocol/answer-headers.ts';
import type { Operation } from '../../src/protocol/operation.ts';
import { problemCodesOf } from '../../src/protocol/operations.ts';
import { PROBLEM_MEDIA_TYPE } from '../../src/protocol/problem.ts';
import { type ProblemCode, PROBLEMS } from '../../src/protocol/problems.ts';
import type { Route } from '../../src/protocol/routes.ts';

/** The problems of a route by status: which codes a status may stand for, and the headers that come with them. */
export function problemResponses(
  route: Route,
  operation: Operation,
): Record<string, ZodOpenApiResponseObject> {
  const byStatus = Map.groupBy(problemCodesOf(route, operation), (code) => PROBLEMS[code].status);
  return Object.fromEntries([...byStatus].map(([status, codes]) => [status, response(codes)]));
}

/** Those of one code stand in the document once, which zod-openapi tells by their identity. */
const ofOneCode = new Map<ProblemCode, ZodOpenApiResponseObject>();

function response(codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  const [only] = codes;
  if (only === undefined || codes.length > 1) return describe(codes);
  const known = ofOneCode.get(only) ?? { id: pascalCase(only), ...describe(codes) };
  ofOneCode.set(only, known);
  return known;
}

function describe(codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${PROBLEMS[code].title}`).join('\n\n'),
    headers: headersOf(codes),
    content: {
      [PROBLEM_MEDIA_TYPE]: {
        schema: {
          allOf: [
            { $ref: '#/components/schemas/Problem' },
            { type: 'object', properties: { code: { enum: [...codes] } } },
          ],
        },
      },
    },
  };
}

/** A header is certain only where each code of the status brings it. */
function headersOf(codes: readonly ProblemCode[]): z.ZodObject {
  const shapes = codes.map((code) => PROBLEM_HEADERS[code] ?? {});
  const all = Object.assign({}, ...shapes) as z.ZodRawShape;
  const headers = Object.entries(all).map(([name, schema]) => [
    name,
    shapes.every((shape) => name in shape && !isOptional(shape[name]))
      ? schema
      : z.optional(schema),
  ]);
  return everyAnswer.extend(Object.fromEntries(headers) as z.ZodRawShape);
}

function pascalCase(code: string): string {
  return code.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function isOptional(schema: unknown): boolean {
  return (schema as z.ZodType).safeParse(undefined).success;
}
