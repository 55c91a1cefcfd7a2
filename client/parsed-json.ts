/** Stands for a text that is no JSON: something between client and API answered. */
export const NOT_JSON = Symbol('not JSON');

/** The value of a text; undefined of an empty one. */
export function parsedJson(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return NOT_JSON;
  }
}
