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
  // A list of millions has as many keys, which nobody needs.
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const fault = findAt(value[index], index, maxNesting, path);
      if (fault !== undefined) return fault;
    }
    return undefined;
  }
  for (const name of Object.keys(value)) {
    if (name === '__proto__') return faultAt(path, 'the field name __proto__ is not allowed');
    const part = (value as Record<string, unknown>)[name];
    const fault = findAt(part, name, maxNesting, path);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function findAt(
  part: unknown,
  name: PropertyKey,
  maxNesting: number,
  path: PropertyKey[],
): JsonFault | undefined {
  path.push(name);
  const fault = find(part, maxNesting, path);
  path.pop();
  return fault;
}

function faultAt(path: readonly PropertyKey[], message: string): JsonFault {
  return { path: [...path], message };
}
