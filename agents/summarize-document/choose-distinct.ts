import { overlap, words } from './words.ts';

interface Scored {
  readonly text: string;
  readonly score: number;
}

/**
 * Adds the best sentences to those chosen, until there are `limit`, best first. One that shares more than `maxOverlap`
 * of its words with another says nearly the same and is left out.
 */
export function chooseDistinct<T extends Scored>(
  chosen: readonly T[],
  sentences: readonly T[],
  limit: number,
  maxOverlap: number,
): T[] {
  const all = [...chosen];
  const seen = chosen.map(({ text }) => words(text));
  for (const sentence of sentences.toSorted((a, b) => b.score - a.score)) {
    if (all.length >= limit) break;
    const own = words(sentence.text);
    if (seen.some((other) => overlap(own, other) > maxOverlap)) continue;
    all.push(sentence);
    seen.push(own);
  }
  return all;
}

/** Shares of common words: two sentences that a reader keeps apart, and two that still are not the same. */
export const OVERLAP = { distinct: 0.6, similar: 0.8 } as const;
