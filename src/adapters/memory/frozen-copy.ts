/** What a store hands out: separate from what was put in, and as unchangeable as an item that lies in a database. */
export function frozenCopy<Value>(value: Value): Value {
  return freeze(JSON.parse(JSON.stringify(value))) as Value;
}

function freeze(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  for (const part of Object.values(value)) freeze(part);
  return Object.freeze(value);
}
