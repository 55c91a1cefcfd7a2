const segmenter = new Intl.Segmenter('en', { granularity: 'word' });

/** Words of a text in lower case, for counting and comparing; a plural counts as its singular. */
export function words(text: string): string[] {
  const found: string[] = [];
  for (const { segment, isWordLike } of segmenter.segment(text)) {
    if (isWordLike === true) found.push(segment.toLowerCase().replace(/(?<=\p{L}{3})s$/u, ''));
  }
  return found;
}

/** Share of the shorter text's distinct words that the longer one has too. */
export function overlap(left: readonly string[], right: readonly string[]): number {
  const [a, b] = [new Set(left), new Set(right)];
  const smaller = Math.min(a.size, b.size);
  return smaller === 0 ? 0 : [...a].filter((word) => b.has(word)).length / smaller;
}
