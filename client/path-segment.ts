import { LonghaulError } from './errors.ts';

/**
 * A segment of a path. Without one, or with dots, the address would be that of something else: of the list, for instance.
 * @throws LonghaulError `invalid_argument` naming what was given
 */
export function pathSegment(text: string, what: string): string {
  if (typeof text === 'string' && !/^(?:\.\.?)?$/.test(text)) return encodeURIComponent(text);
  throw new LonghaulError(`${what} is ${JSON.stringify(text)}: give one that the API has told`, {
    code: 'invalid_argument',
  });
}
