import { PROBLEM_MEDIA_TYPE } from '../../../src/protocol/problem.ts';
import type {
  DocumentedAnswer,
  DocumentedOperation,
  Header,
  Parameter,
  Schema,
} from './document.ts';
import { findOperation, type Found } from './find-operation.ts';
import { schemaFaults } from './schema-faults.ts';

export interface SentRequest {
  readonly method: string;
  /** Below the stage. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly text?: string;
}

export interface ReceivedAnswer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Headers of HTTP itself, of what browsers ask for web pages, of API Gateway and of what stands before it. */
const OF_TRANSPORT =
  /^(?:date|connection|keep-alive|content-(?:type|length)|transfer-encoding|cache-control|server|via|access-control-.*|x-amz.*|x-cache|apigw-.*)$/;

/** Where an exchange breaks the OpenAPI document; nothing if it keeps to it. */
export function exchangeFaults(request: SentRequest, answer: ReceivedAnswer): string[] {
  const found = findOperation(request.method, request.path);
  if (found === undefined) return unroutedFaults(answer);
  const { operation } = found;
  const documented = operation.responses[String(answer.status)];
  if (documented === undefined) {
    return [`${operation.operationId} does not document status ${answer.status}`];
  }
  return [
    ...headerFaults(documented.headers ?? {}, answer),
    ...bodyFaults(documented, answer),
    // What the API takes the document must allow, or clients that check their requests cannot send it.
    ...(answer.status < 400 ? requestFaults(found, request) : []),
  ].map((fault) => `${operation.operationId} ${answer.status}: ${fault}`);
}

const UNROUTED = ['not_found', 'method_not_allowed', 'invalid_request', 'payload_too_large'];

/** Beside the document: no such path, or no such method on it. */
function unroutedFaults({ status, headers, text }: ReceivedAnswer): string[] {
  const schema = {
    allOf: [
      { $ref: '#/components/schemas/Problem' },
      { type: 'object', properties: { code: { enum: UNROUTED }, status: { const: status } } },
    ],
  };
  return [
    ...jsonFaults(schema, text),
    ...(headers['x-request-id'] === undefined ? ['x-request-id is missing'] : []),
  ].map((fault) => `a path or method that is not documented, ${status}: ${fault}`);
}

function headerFaults(
  documented: Readonly<Record<string, Header>>,
  { headers }: ReceivedAnswer,
): string[] {
  const names = Object.keys(documented).map((name) => name.toLowerCase());
  const unknown = Object.keys(headers)
    .filter((name) => !names.includes(name) && !OF_TRANSPORT.test(name))
    .map((name) => `the header ${name} is not documented`);
  const faulty = Object.entries(documented).flatMap(([name, { required = false, schema }]) =>
    valueFaults(`header ${name}`, headers[name.toLowerCase()], { required, schema }),
  );
  return [...unknown, ...faulty];
}

function bodyFaults({ content }: DocumentedAnswer, { headers, text }: ReceivedAnswer): string[] {
  if (content === undefined) return text === '' ? [] : ['a body is not documented'];
  const mediaType = headers['content-type']?.split(';')[0] ?? 'none';
  const documented = content[mediaType];
  if (documented === undefined) return [`the media type ${mediaType} is not documented`];
  if (mediaType !== PROBLEM_MEDIA_TYPE && mediaType !== 'application/json') return [];
  return jsonFaults(documented.schema, text).map((fault) => `body ${fault}`);
}

function requestFaults({ operation, pathValues }: Found, request: SentRequest): string[] {
  const sent = Object.entries(request.headers);
  const valueOf = ({ in: place, name }: Parameter): string | readonly string[] | undefined => {
    if (place === 'path') return pathValues[name];
    if (place === 'query') return queryValue(request.query, name);
    const value = sent.find(([header]) => header.toLowerCase() === name.toLowerCase())?.[1];
    // A header sent several times is the list of its values.
    return value === undefined ? undefined : [value].flat().join(', ');
  };
  return [
    ...operation.parameters.flatMap((parameter) =>
      valueFaults(`${parameter.in} ${parameter.name}`, valueOf(parameter), parameter),
    ),
    ...requestBodyFaults(operation, request.text),
  ].map((fault) => `was given to a request the document does not allow: ${fault}`);
}

function queryValue(query: URLSearchParams, name: string): string | string[] | undefined {
  const values = query.getAll(name);
  return values.length > 1 ? values : values[0];
}

function requestBodyFaults({ requestBody }: DocumentedOperation, text = ''): string[] {
  if (requestBody === undefined) return [];
  if (text.trim() === '') return requestBody.required === true ? ['body is missing'] : [];
  const schema = requestBody.content['application/json']?.schema ?? {};
  return jsonFaults(schema, text).map((fault) => `body ${fault}`);
}

function valueFaults(
  what: string,
  value: string | readonly string[] | undefined,
  { required = false, schema }: { readonly required?: boolean; readonly schema: Schema },
): string[] {
  if (value === undefined) return required ? [`${what} is missing`] : [];
  return schemaFaults(schema, ofType(schema, value)).map((fault) => `${what} ${fault}`);
}

/** Text as a value of the schema's type, by OpenAPI's style `form` or `simple`. */
function ofType({ type }: Schema, value: string | readonly string[]): unknown {
  if (type === 'array') return [value].flat();
  if (typeof value !== 'string') return value;
  if (type === 'integer' || type === 'number') return value.trim() === '' ? value : Number(value);
  if (type === 'boolean') return value === 'true' ? true : value === 'false' ? false : value;
  return value;
}

function jsonFaults(schema: Schema, text: string): string[] {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return ['is not JSON'];
  }
  return schemaFaults(schema, value);
}
