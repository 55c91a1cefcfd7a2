import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { LIMITS } from '../../src/protocol/limits.ts';
import { headerValues } from './request.ts';

/** What a caller prefers (RFC 7240), as far as it is known here; whatever else there is, or is malformed, is ignored. */
export interface Preferences {
  readonly respondAsync: boolean;
  /** Seconds, at most `LIMITS.waitSeconds`. */
  readonly wait?: number;
}

/** `name`, `name=token` or `name="text"`, and parameters, which no preference here has. */
const PREFERENCE =
  /^([!#$%&'*+.^_`|~0-9a-z-]+)(?:[ \t]*=[ \t]*(?:([!#$%&'*+.^_`|~0-9a-z-]+)|"((?:[^"\\]|\\.)*)"))?[ \t]*(?:;.*)?$/i;

export function preferencesOf(event: APIGatewayProxyEvent): Preferences {
  const given = new Map<string, string>();
  for (const text of headerValues(event, 'prefer').flatMap((value) => value.split(','))) {
    const [, name, token, quoted] = PREFERENCE.exec(text.trim()) ?? [];
    // The first of a name counts.
    if (name !== undefined && !given.has(name.toLowerCase()))
      given.set(name.toLowerCase(), token ?? quoted ?? '');
  }
  const wait = given.get('wait') ?? '';
  return {
    respondAsync: given.get('respond-async') === '',
    ...(/^\d{1,9}$/.test(wait) && { wait: Math.min(Number(wait), LIMITS.waitSeconds) }),
  };
}

/** Headers of an answer to a request that may carry preferences. */
export function preferenceHeaders({ respondAsync, wait }: Preferences): Record<string, string> {
  const applied = [
    ...(respondAsync ? ['respond-async'] : []),
    ...(wait === undefined ? [] : [`wait=${wait}`]),
  ];
  return {
    vary: 'Prefer',
    ...(applied.length > 0 && { 'preference-applied': applied.join(', ') }),
  };
}

/** For the last reads and the answer: API Gateway waits 29 s, its start of an environment included. */
const MARGIN_MS = 5_000;

/** Until when an answer may be held back; undefined: not at all. */
export function holdUntil(
  { wait = 0 }: Preferences,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
  now: number,
): number | undefined {
  const holdMs = Math.min(wait * 1_000, context.getRemainingTimeInMillis() - MARGIN_MS);
  return holdMs > 0 ? now + holdMs : undefined;
}
