import { describe, expect, it } from '@jest/globals';
import { cursorSeal } from '../../../lambdas/http/cursor-seal.ts';
import { memorySecretStore } from '../../../src/adapters/memory/secret-store.ts';

const PLACE = { createdAt: 7, jobIds: ['a', 'b'] };
const BOUND = ['jobs', 'acme', { tag: 'x' }];

describe('a sealed cursor', () => {
  it('gives its place back to whoever asks for the same list, in any environment', async () => {
    const secrets = memorySecretStore();
    const cursor = await cursorSeal(secrets).seal(BOUND, PLACE);
    expect(await cursorSeal(secrets).open(['jobs', 'acme', { tag: 'x' }], cursor)).toEqual(PLACE);
  });

  it.each([
    { name: 'another tenant', bound: ['jobs', 'globex', { tag: 'x' }] },
    { name: 'other filters', bound: ['jobs', 'acme', { tag: 'y' }] },
    { name: 'no filters', bound: ['jobs', 'acme', {}] },
    { name: 'another list', bound: ['dead-letters', 'acme', { tag: 'x' }] },
  ])('is refused for $name', async ({ bound }) => {
    const seal = cursorSeal(memorySecretStore());
    const cursor = await seal.seal(BOUND, PLACE);
    await expect(seal.open(bound, cursor)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('is refused when a single character of it is another one, left out or added', async () => {
    const seal = cursorSeal(memorySecretStore());
    const cursor = await seal.seal(BOUND, PLACE);
    const other = (character: string) => (character === 'A' ? 'B' : 'A');
    const changed = Array.from(cursor).flatMap((character, at) => [
      cursor.slice(0, at) + other(character) + cursor.slice(at + 1),
      cursor.slice(0, at) + cursor.slice(at + 1),
      `${cursor.slice(0, at)}A${cursor.slice(at)}`,
    ]);
    for (const text of changed) {
      if (text === cursor) continue;
      await expect(seal.open(BOUND, text)).rejects.toMatchObject({ code: 'invalid_cursor' });
    }
  });

  it.each(['', '.', 'a', 'a.b', 'a.b.c', '%', '💥'])('is not %j', async (text) => {
    const seal = cursorSeal(memorySecretStore());
    await expect(seal.open(BOUND, text)).rejects.toMatchObject({ code: 'invalid_cursor' });
  });

  it('of another deployment is refused', async () => {
    const cursor = await cursorSeal(memorySecretStore()).seal(BOUND, PLACE);
    await expect(cursorSeal(memorySecretStore()).open(BOUND, cursor)).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
  });

  it('reads the secret once, and again only after a failure', async () => {
    let reads = 0;
    const seal = cursorSeal({
      obtain: () => (++reads === 1 ? Promise.reject(new Error('busy')) : Promise.resolve('secret')),
    });
    await expect(seal.seal(BOUND, PLACE)).rejects.toThrow('busy');
    await Promise.all([seal.seal(BOUND, PLACE), seal.seal(BOUND, PLACE)]);
    expect(reads).toBe(2);
  });
});
