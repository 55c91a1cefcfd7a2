import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '../../src/core/job/canonical-json.ts';
import type { SecretStore } from '../../src/core/ports/secret-store.ts';
import { RequestRefused } from './request-refused.ts';

/**
 * Makes cursors that only this deployment can make. `boundTo` says for what a cursor is good: kind of list, tenant, filters; with
 * anything else it is refused. Opaque to callers: the form may change with any release.
 */
export interface CursorSeal {
  seal(boundTo: readonly unknown[], place: object): Promise<string>;
  /** @throws RequestRefused `invalid_cursor` */
  open(boundTo: readonly unknown[], cursor: string): Promise<object>;
}

const SECRET_NAME = 'cursor';
/** Half of a SHA-256: nobody finds 128 bits by trying. */
const MAC_BYTES = 16;

export function cursorSeal(secrets: SecretStore): CursorSeal {
  const secret = onceRead(() => secrets.obtain(SECRET_NAME, randomBytes(32).toString('base64url')));
  const macOf = async (boundTo: readonly unknown[], text: string): Promise<string> =>
    createHmac('sha256', await secret())
      .update(canonicalJson([...boundTo, text]))
      .digest()
      .subarray(0, MAC_BYTES)
      .toString('base64url');
  return {
    seal: async (boundTo, place) => {
      const text = Buffer.from(JSON.stringify(place)).toString('base64url');
      return `${text}.${await macOf(boundTo, text)}`;
    },
    open: async (boundTo, cursor) => {
      const [text = '', mac = '', ...rest] = cursor.split('.');
      const isOurs = rest.length === 0 && isSame(mac, await macOf(boundTo, text));
      if (!isOurs) throw invalidCursor();
      return JSON.parse(Buffer.from(text, 'base64url').toString()) as object;
    },
  };
}

/** As text: two texts may stand for the same bytes. */
function isSame(given: string, expected: string): boolean {
  const [left, right] = [Buffer.from(given), Buffer.from(expected)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** Kept for the life of the environment, unless the read failed. */
function onceRead(read: () => Promise<string>): () => Promise<string> {
  let known: Promise<string> | undefined;
  return () => {
    known ??= read().catch((error: unknown) => {
      known = undefined;
      throw error;
    });
    return known;
  };
}

function invalidCursor(): RequestRefused {
  return new RequestRefused(
    'invalid_cursor',
    'the query parameter cursor does not belong to this list: send the field next of its last page, with the same filters, or none to begin anew',
  );
}
