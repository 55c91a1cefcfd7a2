import { createHash, randomBytes } from 'node:crypto';
import type { IdSource } from '../../core/ports/id-source.ts';

/** Crockford's base32, lower case: no i, l, o, u. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
/** 26 characters of 5 bits are 130 bits. */
const ID_LENGTH = 26;
const ID_BYTES = 17;

export const systemIdSource: IdSource = {
  random: () => randomBytes(6).readUIntBE(0, 6) / 2 ** 48,
  newId: () => encode(randomBytes(ID_BYTES)),
  deriveId,
  sha256: (text) => createHash('sha256').update(text, 'utf8').digest('hex'),
};

/** Each part is preceded by its length, so that `('ab', 'c')` and `('a', 'bc')` differ. */
function deriveId(...parts: readonly string[]): string {
  const hash = createHash('sha256');
  for (const part of parts) hash.update(`${Buffer.byteLength(part)}:`).update(part, 'utf8');
  return encode(hash.digest());
}

function encode(bytes: Uint8Array): string {
  let id = '';
  let bits = 0;
  let value = 0;
  for (const byte of bytes) {
    value = ((value & 0x1f) << 8) | byte;
    bits += 8;
    while (bits >= 5 && id.length < ID_LENGTH) {
      bits -= 5;
      id += ALPHABET.charAt((value >>> bits) & 0x1f);
    }
  }
  return id;
}
