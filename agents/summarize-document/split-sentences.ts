import { maskCode } from './code-spans.ts';

/** A full stop behind one of these, or behind an initial, does not end a sentence. */
const ABBREVIATION =
  /(?:^|[\s([])(?:[Ee]\.g|[Ii]\.e|etc|vs|cf|approx|resp|incl|Dr|Mrs?|Ms|Prof|St|Jr|Sr|Inc|Ltd|Co|Corp|Dept|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec|\p{Lu})\.\s*$/u;
/** These may end one; they do when a capital follows. */
const MAY_END = /(?:etc|Inc|Ltd|Co|Corp|Jr|Sr)\.\s*$/;
/** These only stand before a number. */
const BEFORE_NUMBER = /(?:^|[\s([])(?:[Nn]o|[Nn]r|[Vv]ol|[Ff]ig|[Ee]q|[Ss]ec|[Cc]h|pp?)\.\s*$/;

/** Splits running text into sentences; abbreviations, initials and inline code do not end one. */
export function splitSentences(text: string): string[] {
  const masked = maskCode(text);
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
  const sentences: string[] = [];
  for (const { segment } of segmenter.segment(masked.text)) {
    const before = sentences.at(-1);
    if (before !== undefined && continues(before, segment)) {
      sentences[sentences.length - 1] = before + segment;
    } else {
      sentences.push(segment);
    }
  }
  return sentences.map((sentence) => masked.unmask(sentence).trim());
}

function continues(before: string, after: string): boolean {
  if (/^\p{Ll}/u.test(after)) return true;
  if (BEFORE_NUMBER.test(before)) return /^\d/.test(after);
  return ABBREVIATION.test(before) && !MAY_END.test(before);
}
