/** What is wrong with a part of a JSON value. */
export interface JsonFault {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** The first part of a parsed value that JavaScript has changed without a word, or would choke on later. */
export function findUnstorable(value: unknown, maxNesting: number): JsonFault | undefined {
  return find(value, maxNesting, []);
}

function find(value: unknown, maxNesting: number, path: PropertyKey[]): JsonFault | undefined {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    return faultAt(path, 'the number is beyond the range of a double: send it as text');
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= maxNesting) return faultAt(path, `nested deeper than ${maxNesting} levels`);
  for (const name of Object.keys(value)) {
    if (name === '__proto__') return faultAt(path, 'the field name __proto__ is not allowed');
    path.push(name);
    const fault = find((value as Record<string, unknown>)[name], maxNesting, path);
    if (fault !== undefined) return fault;
    path.pop();
  }
  return undefined;
}

function faultAt(path: readonly PropertyKey[], message: string): JsonFault {
  return { path: [...path], message };
}
