import fc from 'fast-check';
import type { ApiRequest } from '../api-client.ts';
import type { DocumentedOperation, Parameter } from '../contract/document.ts';
import {
  hostileBodies,
  hostileHeaders,
  hostileJson,
  hostileSegments,
  hostileTexts,
} from './hostile-values.ts';
import { type Known, validValues } from './valid-values.ts';

/** A request as `ApiClient.send` takes it. */
export interface Generated {
  readonly path: string;
  readonly request: ApiRequest & { readonly method: string };
}

/** Requests that the document allows. */
export function validRequests(
  operation: DocumentedOperation,
  known: Known,
): fc.Arbitrary<Generated> {
  return fc
    .record({
      path: pathOf(operation, (parameter) => segment(valueOf(parameter, known))),
      query: parametersOf(operation, 'query', (parameter) => valueOf(parameter, known)),
      headers: parametersOf(operation, 'header', (parameter) => valueOf(parameter, known)),
      body: validBody(operation, known),
    })
    .map((parts) => assemble(operation, parts));
}

/** Requests of which some part is as no client should send it. */
export function hostileRequests(
  operation: DocumentedOperation,
  known: Known,
): fc.Arbitrary<Generated> {
  const valid = (parameter: Parameter) => valueOf(parameter, known);
  const mostly = <T>(good: fc.Arbitrary<T>, bad: fc.Arbitrary<T>): fc.Arbitrary<T> =>
    fc.oneof({ weight: 2, arbitrary: good }, { weight: 1, arbitrary: bad });
  return fc
    .record({
      path: pathOf(operation, (parameter) => mostly(segment(valid(parameter)), hostileSegments)),
      query: parametersOf(operation, 'query', (parameter) =>
        mostly(valid(parameter), hostileQuery),
      ),
      extraQuery: mostly(
        fc.constant({}),
        fc.dictionary(hostileTexts, hostileQuery, { maxKeys: 3 }),
      ),
      headers: parametersOf(operation, 'header', (parameter) =>
        mostly(valid(parameter), severalTimes(hostileHeaders)),
      ),
      extraHeaders: mostly(fc.constant({}), unusualHeaders),
      key: fc.oneof(
        { weight: 8, arbitrary: fc.constant({}) },
        { weight: 1, arbitrary: fc.constantFrom({ key: null }, { key: `lh_${'x'.repeat(43)}` }) },
      ),
      body: mostly(
        fc.oneof(validBody(operation, known), mutatedBody(operation, known)),
        hostileBodies,
      ),
    })
    .map((parts) => assemble(operation, parts));
}

interface Parts {
  readonly path: string;
  readonly query: Readonly<Record<string, unknown>>;
  readonly extraQuery?: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly extraHeaders?: Readonly<Record<string, unknown>>;
  readonly key?: Pick<ApiRequest, 'key'>;
  readonly body: string | Uint8Array | undefined;
}

function assemble({ method }: DocumentedOperation, parts: Parts): Generated {
  const { path, body } = parts;
  const pairs = Object.entries({ ...parts.extraQuery, ...parts.query }).flatMap(([name, value]) =>
    textsOf(value).map((text): [string, string] => [name, text]),
  );
  const query = new URLSearchParams(pairs).toString();
  return {
    path: query === '' ? path : `${path}?${query}`,
    request: {
      method,
      ...parts.key,
      headers: { ...strings(parts.headers), ...strings(parts.extraHeaders ?? {}) },
      ...(body !== undefined && method !== 'GET' && { body }),
    },
  };
}

function strings(headers: Readonly<Record<string, unknown>>): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => {
      const [first, ...others] = textsOf(value);
      if (first === undefined) return [];
      return [[name.toLowerCase(), others.length === 0 ? first : [first, ...others]]];
    }),
  );
}

/** A value, or each value of a list, as parameters have it. */
function textsOf(value: unknown): string[] {
  return [value ?? []].flat().map((one) => (typeof one === 'string' ? one : JSON.stringify(one)));
}

function pathOf(
  { path, parameters }: DocumentedOperation,
  valueFor: (parameter: Parameter) => fc.Arbitrary<string>,
): fc.Arbitrary<string> {
  const parts = path.split('/').map((part) => {
    const parameter = parameters.find(
      ({ in: place, name }) => place === 'path' && part === `{${name}}`,
    );
    return parameter === undefined ? fc.constant(part) : valueFor(parameter);
  });
  return fc.tuple(...parts).map((segments) => segments.join('/'));
}

function parametersOf(
  { parameters }: DocumentedOperation,
  place: Parameter['in'],
  valueFor: (parameter: Parameter) => fc.Arbitrary<unknown>,
): fc.Arbitrary<Record<string, unknown>> {
  const here = parameters.filter((parameter) => parameter.in === place);
  return fc.record(Object.fromEntries(here.map((one) => [one.name, valueFor(one)])), {
    requiredKeys: here.filter(({ required }) => required === true).map(({ name }) => name),
  });
}

function valueOf({ in: place, name, schema }: Parameter, known: Known): fc.Arbitrary<unknown> {
  if (known[name] !== undefined) return known[name];
  const values = validValues(schema, known);
  return place === 'header'
    ? values.filter((value) => typeof value !== 'string' || /^[ -~]*$/.test(value))
    : values;
}

function segment(values: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return values.map((value) => encodeURIComponent(textsOf(value).join(',')));
}

function validBody(operation: DocumentedOperation, known: Known): fc.Arbitrary<string | undefined> {
  return bodyValues(operation, known).map((value) =>
    value === undefined ? undefined : JSON.stringify(value),
  );
}

/** `undefined`: no body. */
function bodyValues({ requestBody }: DocumentedOperation, known: Known): fc.Arbitrary<unknown> {
  if (requestBody === undefined) return fc.constant(undefined);
  const { schema = {} } = requestBody.content['application/json'] ?? {};
  const values = validValues(schema, known);
  return requestBody.required === true ? values : fc.option(values, { nil: undefined });
}

/** A valid body with one field more, or one field of another kind. */
function mutatedBody(
  operation: DocumentedOperation,
  known: Known,
): fc.Arbitrary<string | undefined> {
  return fc
    .tuple(bodyValues(operation, known), hostileTexts, hostileJson, fc.nat())
    .map(([value, name, hostile, at]) => {
      if (typeof value !== 'object' || value === null) return JSON.stringify(hostile);
      const names = [...Object.keys(value), name];
      return JSON.stringify({ ...value, [names[at % names.length] ?? name]: hostile });
    });
}

const hostileQuery: fc.Arbitrary<unknown> = fc.oneof(
  hostileTexts,
  fc.array(hostileTexts, { maxLength: 3 }),
);

function severalTimes(values: fc.Arbitrary<string>): fc.Arbitrary<string | string[]> {
  return fc.oneof(values, fc.array(values, { minLength: 2, maxLength: 3 }));
}

/** Headers that are not in the document, and such as HTTP itself knows. */
const unusualHeaders = fc.record(
  {
    'content-type': fc.constantFrom(
      'text/plain',
      'application/xml',
      'application/json; charset=utf-16',
      'multipart/form-data; boundary=x',
      'application/octet-stream',
      '*/*',
      'no/',
      '',
    ),
    accept: fc.constantFrom('text/html', 'application/xml;q=0.9', '*/*', '', 'x'),
    'accept-encoding': fc.constantFrom('gzip, br', 'identity;q=0', 'x'),
    'content-encoding': fc.constantFrom('gzip', 'x'),
    'if-none-match': severalTimes(hostileHeaders),
    'idempotency-key': severalTimes(hostileHeaders),
    traceparent: severalTimes(hostileHeaders),
    'x-http-method-override': fc.constantFrom('DELETE', 'x'),
    'x-forwarded-for': hostileHeaders,
    origin: fc.constantFrom('https://example.org', 'null'),
    cookie: hostileHeaders,
    range: fc.constantFrom('bytes=0-', 'bytes=9-1'),
  },
  { requiredKeys: [] },
);
