import fc from 'fast-check';
import { type Schema, SCHEMAS } from '../contract/document.ts';

interface Keywords {
  readonly $ref?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly type?: string;
  readonly pattern?: string;
  readonly format?: string;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly uniqueItems?: boolean;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly not?: { readonly required?: readonly string[] };
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: Schema | boolean;
}

/** Small enough that what only the sum of all parts may not exceed is not exceeded. */
const SHORT = 12;
const FEW = 3;

/**
 * Values by the name of the parameter or field they stand in, where a schema allows much more than what exists: with these some
 * requests meet a job. `undefined` leaves a query parameter out.
 */
export type Known = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** Values that a schema of the document allows. */
export function validValues(schema: Schema, known: Known = {}): fc.Arbitrary<unknown> {
  const words = schema as Keywords;
  if (words.$ref !== undefined)
    return validValues(SCHEMAS[words.$ref.split('/').at(-1) ?? ''] ?? {}, known);
  if ('const' in words) return fc.constant(words.const);
  if (words.enum !== undefined) return fc.constantFrom(...words.enum);
  const choices = words.anyOf ?? (words.type === 'object' ? undefined : words.oneOf);
  if (choices !== undefined)
    return fc.oneof(...choices.map((choice) => validValues(choice, known)));
  switch (words.type) {
    case 'string':
      return texts(words);
    case 'integer':
      return fc.integer({ min: words.minimum ?? -1_000, max: words.maximum ?? 1_000 });
    case 'number':
      return fc.double({
        min: words.minimum ?? -1e6,
        max: words.maximum ?? 1e6,
        noNaN: true,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    case 'array':
      return arrays(words, known);
    case 'object':
      return objects(words, known);
    default:
      return anyJson;
  }
}

function texts({ pattern, format, minLength = 0, maxLength = Infinity }: Keywords) {
  if (format === 'date-time') {
    const soon = { min: new Date('2026-01-01'), max: new Date('2030-01-01'), noInvalidDate: true };
    return fc.date(soon).map((date) => date.toISOString());
  }
  if (format === 'uri') return fc.webUrl({ validSchemes: ['https'] });
  const fits = ({ length }: string): boolean => length >= minLength && length <= maxLength;
  if (pattern !== undefined) return fc.stringMatching(new RegExp(pattern)).filter(fits);
  const most = Math.max(minLength, Math.min(maxLength, SHORT));
  return fc.string({ minLength, maxLength: most, unit: 'grapheme' }).filter(fits);
}

function objects(words: Keywords, known: Known): fc.Arbitrary<object> {
  const { additionalProperties = false, propertyNames = { type: 'string' } } = words;
  const shapes = shapesOf(words).map((shape) => fields(shape, known));
  const named = fc.oneof(...shapes).filter((value) => !hasAll(value, words.not?.required));
  if (typeof additionalProperties === 'boolean') return named;
  const names = validValues(propertyNames) as fc.Arbitrary<string>;
  const others = fc.dictionary(
    names.filter((name) => name !== '__proto__'),
    validValues(additionalProperties),
    { maxKeys: FEW },
  );
  return fc.tuple(others, named).map(([more, some]) => ({ ...more, ...some }));
}

function arrays({ items = {}, ...words }: Keywords, known: Known): fc.Arbitrary<unknown[]> {
  const { minItems: minLength = 0, maxItems = FEW, uniqueItems = false } = words;
  const maxLength = Math.max(minLength, Math.min(maxItems, FEW));
  const values = validValues(items, known);
  return uniqueItems
    ? fc.uniqueArray(values, { minLength, maxLength })
    : fc.array(values, { minLength, maxLength });
}

/** `not` beside properties says which of them are never sent together. */
function hasAll(value: object, names: readonly string[] | undefined): boolean {
  return names?.every((name) => name in value) ?? false;
}

interface Shape {
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required: readonly string[];
}

/** `oneOf` beside properties says which of them exclude each other, `dependentRequired` which need which. */
function shapesOf({ properties = {}, required = [], oneOf, ...words }: Keywords): Shape[] {
  if (oneOf === undefined) return [{ properties, required }];
  const choices = oneOf.map((choice) => (choice as Keywords).required ?? []);
  return choices.map((choice) => {
    const excluded = choices.flat().filter((name) => !choice.includes(name));
    const needed = (name: string) => [name, ...(words.dependentRequired?.[name] ?? [])];
    const left = Object.entries(properties).filter(
      ([name]) => !needed(name).some((other) => excluded.includes(other)),
    );
    return { properties: Object.fromEntries(left), required: [...required, ...choice] };
  });
}

function fields({ properties, required }: Shape, known: Known): fc.Arbitrary<object> {
  const values = Object.entries(properties).map(([name, part]) => [
    name,
    known[name] ?? validValues(part, known),
  ]);
  return fc.record(Object.fromEntries(values) as Record<string, fc.Arbitrary<unknown>>, {
    requiredKeys: [...required],
  });
}

/** JSON that comes back as it was sent. */
export const anyJson: fc.Arbitrary<unknown> = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  .filter((value) => !JSON.stringify(value).includes('"__proto__":'));
