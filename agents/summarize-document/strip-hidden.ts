/** Comments, and elements whose content is not prose. */
const OPENING = /<!--|<(script|style|pre|table|svg)\b[^>]{0,200}>/gi;

/**
 * Drops front matter, comments and elements that hold no prose. One that spans a code fence is taken for an example
 * of such, and stays. Takes time in proportion to the text, whatever is in it: it runs outside the steps.
 */
export function stripHidden(source: string): string {
  const text = source.replace(/^---\n[\s\S]*?\n---\n/, '');
  const fence = finder(text, /^\s{0,9}(?:```|~~~)/gm);
  const ends = new Map<string, (from: number) => number>();
  const kept: string[] = [];
  let position = 0;
  for (const { index, 0: opening, 1: element } of text.matchAll(OPENING)) {
    if (index < position) continue;
    const closing = element === undefined ? '-->' : `</${element.toLowerCase()}>`;
    const end = ends.get(closing) ?? finder(text, new RegExp(closing, 'gi'));
    ends.set(closing, end);
    const endsAt = end(index + opening.length);
    if (endsAt === Infinity || fence(index) < endsAt) continue;
    kept.push(text.slice(position, index));
    position = endsAt + closing.length;
  }
  return kept.join('') + text.slice(position);
}

/** Finds the next match at or behind a position; asked for rising positions, it reads the text once. */
function finder(text: string, pattern: RegExp): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found >= from) return found;
    pattern.lastIndex = from;
    found = pattern.exec(text)?.index ?? Infinity;
    return found;
  };
}
