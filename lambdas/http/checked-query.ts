import type { APIGatewayProxyEvent } from 'aws-lambda';
import type * as z from 'zod';
import { LIMITS } from '../../src/protocol/limits.ts';
import type { Fault } from '../../src/protocol/problem.ts';
import { RequestRefused } from './request-refused.ts';

/**
 * The query parameters of a request, of the form that the schema asks for. Those that are not known are refused, so that a
 * misspelt filter does not select everything.
 * @throws RequestRefused `invalid_request` naming each parameter
 */
export function checkedQuery<Schema extends z.ZodObject>(
  schema: Schema,
  event: APIGatewayProxyEvent,
): z.output<Schema> {
  const given = parametersOf(event);
  const known = Object.keys(schema.shape);
  const faults: Fault[] = Object.entries(given).flatMap(([name, values]) => {
    if (!known.includes(name)) return [fault(name, `unknown: known are ${known.join(', ')}`)];
    return values.length > 1 ? [fault(name, `sent ${values.length} times: send it once`)] : [];
  });
  const single = Object.fromEntries(
    Object.entries(given).map(([name, values]) => [name, values[0]]),
  );
  const parsed = schema.safeParse(single);
  if (parsed.success && faults.length === 0) return parsed.data;
  for (const { path, message } of parsed.error?.issues ?? []) {
    if (path[0] !== undefined) faults.push(fault(String(path[0]), message));
  }
  throw refused(faults);
}

function parametersOf(event: APIGatewayProxyEvent): Record<string, readonly string[]> {
  const { multiValueQueryStringParameters: multi, queryStringParameters: single } = event;
  const pairs = Object.entries(multi ?? single ?? {});
  return Object.fromEntries(pairs.map(([name, value]) => [name, [value ?? ''].flat()]));
}

/** A caller chooses names of parameters, too. */
const NAME_CHARACTERS = 64;

function fault(name: string, message: string): Fault {
  return { parameter: name.slice(0, NAME_CHARACTERS), message };
}

function refused(faults: readonly Fault[]): RequestRefused {
  const errors = faults.slice(0, LIMITS.listedFaults);
  const [first] = errors;
  const detail =
    errors.length === 1
      ? `the query parameter ${first?.parameter ?? ''}: ${first?.message ?? ''}`
      : `${faults.length} faults in the query: see errors`;
  return new RequestRefused('invalid_request', detail, { errors });
}
