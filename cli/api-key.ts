import { createHash, randomBytes } from 'node:crypto';

/** `lh_` and 256 random bits in 43 characters. */
const WHOLE_KEY = /^lh_[A-Za-z0-9_-]{43}$/;
/** What is stored in clear, to recognise a key by: 48 of its 256 bits. */
const PREFIX_LENGTH = 11;
const PREFIX = /^lh_[A-Za-z0-9_-]{1,8}$/;

export const newKey = (): string => `lh_${randomBytes(32).toString('base64url')}`;
export const prefixOf = (key: string): string => key.slice(0, PREFIX_LENGTH);
export const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');
export const isWholeKey = (text: string): boolean => WHOLE_KEY.test(text);
export const isPrefix = (text: string): boolean => PREFIX.test(text);
