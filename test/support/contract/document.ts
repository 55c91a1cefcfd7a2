import committed from '../../../src/protocol/openapi.json' with { type: 'json' };

/** A JSON Schema (2020-12) of the document. */
export type Schema = Readonly<Record<string, unknown>>;

export interface Parameter {
  readonly in: 'path' | 'query' | 'header';
  readonly name: string;
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Header {
  readonly required?: boolean;
  readonly schema: Schema;
}

type Content = Readonly<Record<string, { readonly schema: Schema }>>;

export interface DocumentedAnswer {
  readonly headers?: Readonly<Record<string, Header>>;
  readonly content?: Content;
}

export interface DocumentedOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  /** Empty: open to anybody. */
  readonly security?: readonly unknown[];
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly required?: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, DocumentedAnswer>>;
}

/** Schemas of the document by name. */
export const SCHEMAS = committed.components.schemas as unknown as Readonly<Record<string, Schema>>;

/** Every operation of the document, with what it refers to put in; schemas still refer to each other. */
export const DOCUMENTED: readonly DocumentedOperation[] = Object.entries(committed.paths).flatMap(
  ([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      parameters: [],
      ...(resolved(operation) as Omit<DocumentedOperation, 'method' | 'path' | 'parameters'>),
      method: method.toUpperCase(),
      path,
    })),
);

/** Follows references to anything but schemas. */
function resolved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(resolved);
  if (typeof value !== 'object' || value === null) return value;
  const { $ref } = value as { $ref?: unknown };
  if (typeof $ref === 'string' && !$ref.startsWith('#/components/schemas/')) {
    return resolved(targetOf($ref));
  }
  return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]));
}

function targetOf(ref: string): unknown {
  return ref
    .split('/')
    .slice(1)
    .reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], committed);
}
