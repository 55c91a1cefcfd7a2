import { AppError } from '../../errors.ts';
import { LIMITS } from '../policy/limits.ts';

/**
 * JSON text of a value, or an error that names the place which JSON cannot hold: what a step returns must be, after a
 * replay, what it was in the first run. Two rules: `undefined` as the whole value is kept (as empty text), and a property
 * that is `undefined` is left out.
 * @throws AppError `not_serializable` with the path, what was found and what to return instead.
 */
export function toJson(value: unknown): string {
  if (value === undefined) return '';
  check(value, '$', new Set());
  // A proxy may answer differently when it is asked again.
  const json = JSON.stringify(value) as string | undefined;
  if (json === undefined) throw refused('$', 'nothing', 'plain data');
  return json;
}

export function fromJson(json: string): unknown {
  return json === '' ? undefined : (JSON.parse(json) as unknown);
}

/** Bytes of a text in UTF-8. */
export function sizeBytes(text: string): number {
  let bytes = text.length;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit < 0x80) continue;
    if (unit < 0x800) bytes += 1;
    else if (unit >= 0xd800 && unit <= 0xdbff) {
      bytes += 2;
      index++;
    } else bytes += 2;
  }
  return bytes;
}

function check(value: unknown, path: string, ancestors: Set<object>): void {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return;
    case 'number':
      if (!Number.isFinite(value)) throw refused(path, String(value), 'a finite number or null');
      return;
    case 'object':
      if (value !== null) checkObject(value, path, ancestors);
      return;
    case 'undefined':
      throw refused(path, 'undefined in an array', 'null');
    case 'bigint':
      throw refused(path, 'a BigInt', 'its text, by String(value)');
    default:
      throw refused(path, `a ${typeof value}`, 'plain data');
  }
}

function checkObject(value: object, path: string, ancestors: Set<object>): void {
  if (ancestors.has(value)) throw refused(path, 'a cycle', 'a tree');
  if (ancestors.size >= LIMITS.outcomeNesting) throw tooDeep(path);
  ancestors.add(value);
  if (Array.isArray(value)) {
    if ('toJSON' in value) throw refused(path, 'an array with a toJSON of its own', 'plain data');
    for (let index = 0; index < value.length; index++)
      check(value[index], `${path}[${index}]`, ancestors);
  } else {
    // Realms (test runners, vm) have an Object.prototype each: plain is what has no prototype above it.
    const prototype = Object.getPrototypeOf(value) as object | null;
    if (prototype !== null && Object.getPrototypeOf(prototype) !== null) {
      throw refused(path, describe(value), 'plain data');
    }
    if (typeof (value as { toJSON?: unknown }).toJSON === 'function')
      throw refused(path, 'an object with a toJSON of its own', 'plain data');
    for (const [name, property] of Object.entries(value)) {
      if (property !== undefined) check(property, `${path}.${name}`, ancestors);
    }
  }
  ancestors.delete(value);
}

function describe(value: object): string {
  const { name } = (value.constructor as { name?: unknown } | undefined) ?? {};
  if (name === 'Date') return 'a Date (return it by toISOString())';
  return `an instance of ${typeof name === 'string' && name !== '' ? name : 'an unknown class'}`;
}

function refused(path: string, found: string, instead: string): AppError {
  const place = placeOf(path);
  return new AppError(`${place} is ${found}, which JSON cannot hold: return ${instead}`, {
    code: 'not_serializable',
    details: { path: place, found },
  });
}

/** Refused here and not where some stack overflows: which depth that is depends on who calls. */
function tooDeep(path: string): AppError {
  const place = placeOf(path);
  const limit = LIMITS.outcomeNesting;
  return new AppError(
    `${place} is nested deeper than ${limit} levels of arrays and objects: return a flatter value, or the nested one as text`,
    { code: 'not_serializable', details: { path: place, limit } },
  );
}

const MAX_PATH = 256;

function placeOf(path: string): string {
  return path.length <= MAX_PATH ? path : `${path.slice(0, MAX_PATH)}…`;
}
