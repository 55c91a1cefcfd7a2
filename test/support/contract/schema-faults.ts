import * as z from 'zod';
import { type Schema, SCHEMAS } from './document.ts';

/**
 * What is wrong with a value by a schema of the document, which is taken at its strictest: a field that it does not name is a
 * fault. Clients must live with new fields; our tests must notice them.
 */
export function schemaFaults(schema: Schema, value: unknown): string[] {
  return validatorsOf(schema).flatMap((validator) => {
    const issues = validator.safeParse(value).error?.issues ?? [];
    return issues.map(({ path, message }) => `/${path.join('/')}: ${message}`);
  });
}

const known = new WeakMap<Schema, readonly z.ZodType[]>();

/** One for each member of an `allOf`, since zod takes a field for known that one of the members lets pass. */
function validatorsOf(schema: Schema): readonly z.ZodType[] {
  const { allOf } = schema as { readonly allOf?: readonly Schema[] };
  const made = known.get(schema) ??
    // A member describes a part of the object: others describe the rest.
    allOf?.flatMap((part) => validatorsOf({ additionalProperties: {}, ...part })) ?? [
      z.fromJSONSchema({ ...(closed(schema) as object), $defs } as JsonSchema),
    ];
  known.set(schema, made);
  return made;
}

type JsonSchema = Parameters<typeof z.fromJSONSchema>[0];

/** With no field but those it names, unless it says itself what others may be. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, part]) => [key, closed(part)]));
  if (typeof copy['$ref'] === 'string') {
    copy['$ref'] = copy['$ref'].replace('#/components/schemas/', '#/$defs/');
  }
  if (copy['type'] !== 'object' || !('properties' in copy)) return copy;
  // Which properties go together and which exclude each other zod does not read from here; the API checks it.
  const { oneOf: _one, not: _not, dependentRequired: _companions, ...rest } = copy;
  return { additionalProperties: false, ...rest };
}

const $defs = closed(SCHEMAS) as Record<string, unknown>;
