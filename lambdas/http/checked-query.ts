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
  const faults = faultsOfForm(given, Object.keys(schema.shape));
  const parsed = schema.safeParse(firstOf(given));
  if (parsed.success && faults.length === 0) return parsed.data;
  for (const { path, message } of parsed.error?.issues ?? []) {
    if (path[0] !== undefined) faults.push(fault(String(path[0]), message));
  }
  throw refusedQuery(faults);
}

/**
 * The query parameters of a request as they were sent, for a route that reads them itself or takes none.
 * @throws RequestRefused `invalid_request` naming each that is unknown, or sent more than once
 */
export function plainQuery<Name extends string>(
  known: readonly Name[],
  event: APIGatewayProxyEvent,
): Partial<Record<Name, string>> {
  const given = parametersOf(event);
  const faults = faultsOfForm(given, known);
  if (faults.length > 0) throw refusedQuery(faults);
  return firstOf(given) as Partial<Record<Name, string>>;
}

type Given = Readonly<Record<string, readonly string[]>>;

function faultsOfForm(given: Given, known: readonly string[]): Fault[] {
  return Object.entries(given).flatMap(([name, values]) => {
    if (!known.includes(name)) {
      return [fault(name, `unknown: known are ${known.join(', ') || 'none'}`)];
    }
    return values.length > 1 ? [fault(name, `sent ${values.length} times: send it once`)] : [];
  });
}

function firstOf(given: Given): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(given).map(([name, [value]]) => [name, value]));
}

function parametersOf(event: APIGatewayProxyEvent): Given {
  const { multiValueQueryStringParameters: multi, queryStringParameters: single } = event;
  const pairs = Object.entries(multi ?? single ?? {});
  return Object.fromEntries(pairs.map(([name, value]) => [name, [value ?? ''].flat()]));
}

/** A caller chooses names of parameters, too. */
const NAME_CHARACTERS = 64;

function fault(name: string, message: string): Fault {
  return { parameter: name.slice(0, NAME_CHARACTERS), message };
}

/** A refusal of query parameters, each with its fault. */
export function refusedQuery(faults: readonly Fault[]): RequestRefused {
  const errors = faults.slice(0, LIMITS.listedFaults);
  const [first] = errors;
  const detail =
    errors.length === 1
      ? `the query parameter ${first?.parameter ?? ''}: ${first?.message ?? ''}`
      : `${faults.length} faults in the query: see errors`;
  return new RequestRefused('invalid_request', detail, { errors });
}
