import { describe, expect, it } from '@jest/globals';
import { idempotencyKeyOf, parseIdempotencyKey } from '../../../lambdas/http/idempotency-key.ts';
import { anEvent } from '../../support/http.ts';

const INVALID = expect.objectContaining({ code: 'invalid_idempotency_key' });

describe('idempotency key', () => {
  it.each([
    { name: 'bare', value: 'order-17', key: 'order-17' },
    { name: 'quoted', value: '"order-17"', key: 'order-17' },
    { name: 'quoted with escapes', value: '"a\\"b\\\\c"', key: 'a"b\\c' },
    { name: 'quoted with a comma', value: '"a, b"', key: 'a, b' },
    { name: 'with a space in it', value: 'order 17', key: 'order 17' },
    { name: 'with white space around it', value: ' \torder-17 ', key: 'order-17' },
    { name: 'of 255 characters', value: 'k'.repeat(255), key: 'k'.repeat(255) },
    { name: 'of 255 characters in quotes', value: `"${'k'.repeat(255)}"`, key: 'k'.repeat(255) },
  ])('takes a key that is $name', ({ value, key }) => {
    expect(parseIdempotencyKey(value)).toBe(key);
  });

  it.each([
    { name: 'empty', value: '' },
    { name: 'empty in quotes', value: '""' },
    { name: 'only white space', value: '  ' },
    { name: 'of 256 characters', value: 'k'.repeat(256) },
    { name: 'not ASCII', value: 'schlüssel' },
    { name: 'not ASCII in quotes', value: '"schlüssel"' },
    { name: 'with a control character', value: 'a\u0001b' },
    { name: 'with a tab in it', value: 'a\tb' },
    { name: 'with DEL', value: 'a\u007f' },
    { name: 'with an open quote', value: '"order' },
    { name: 'with a quote in it', value: 'or"der' },
    { name: 'with something behind the quotes', value: '"order";a=1' },
    { name: 'two bare ones joined by a proxy', value: 'a, b' },
    { name: 'two quoted ones joined by a proxy', value: '"a", "b"' },
  ])('refuses a key that is $name', ({ value }) => {
    expect(() => parseIdempotencyKey(value)).toThrow(INVALID);
  });

  it('is undefined when the header is not sent', () => {
    expect(idempotencyKeyOf(anEvent())).toBeUndefined();
  });

  it('is found whatever case the header has', () => {
    expect(idempotencyKeyOf(anEvent({ headers: { 'IDEMPOTENCY-Key': 'a' } }))).toBe('a');
  });

  it('refuses a header that is sent twice, the same or not', () => {
    const event = anEvent({ headers: { 'Idempotency-Key': ['a', 'a'] } });

    expect(() => idempotencyKeyOf(event)).toThrow(INVALID);
  });
});
