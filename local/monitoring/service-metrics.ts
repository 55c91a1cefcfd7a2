import type { InvocationEnd } from '../lambda/function-pool.ts';
import type { Measured } from './metric.ts';

/** What services of AWS measure of themselves, as far as it is played. */

const one = (
  namespace: string,
  name: string,
  dimensions: Readonly<Record<string, string>>,
  value = 1,
): Measured => ({ metric: { namespace, name, dimensions }, values: [value] });

/** A throttled request is no invocation. */
export function lambdaMetrics(
  functionName: string,
  { kind, durationMs }: InvocationEnd,
): Measured[] {
  const dimensions = { FunctionName: functionName };
  if (kind === 'throttled') return [one('AWS/Lambda', 'Throttles', dimensions)];
  return [
    one('AWS/Lambda', 'Invocations', dimensions),
    one('AWS/Lambda', 'Errors', dimensions, kind === 'failed' ? 1 : 0),
    one('AWS/Lambda', 'Throttles', dimensions, 0),
    one('AWS/Lambda', 'Duration', dimensions, durationMs),
  ];
}

/** For the API as a whole, and for its stage. */
export function apiMetrics(
  { title, stage }: { readonly title: string; readonly stage: string },
  status: number,
): Measured[] {
  return [{ ApiName: title }, { ApiName: title, Stage: stage }].flatMap((dimensions) => [
    one('AWS/ApiGateway', 'Count', dimensions),
    one('AWS/ApiGateway', '4XXError', dimensions, status >= 400 && status < 500 ? 1 : 0),
    one('AWS/ApiGateway', '5XXError', dimensions, status >= 500 ? 1 : 0),
  ]);
}

/** A request that DynamoDB refused; that of an index counts for the index. */
export function tableThrottle(
  { table, index }: { readonly table: string; readonly index?: string | undefined },
  kind: 'Read' | 'Write',
): Measured {
  return one('AWS/DynamoDB', `${kind}ThrottleEvents`, {
    TableName: table,
    ...(index !== undefined && { GlobalSecondaryIndexName: index }),
  });
}
