import { chooseDistinct, OVERLAP } from './choose-distinct.ts';
import { isProse, standsAlone } from './judge-sentence.ts';
import { plainText } from './plain-text.ts';
import { rankSentences } from './rank-sentences.ts';
import type { Page, Section } from './split-pages.ts';
import { splitSentences } from './split-sentences.ts';
import { words } from './words.ts';

/** A sentence a page offers for the summary. */
export interface Candidate {
  readonly text: string;
  /** Place among the sentences of its page. */
  readonly position: number;
  readonly score: number;
}

/** What one step knows of its page. */
export interface PageNote {
  /** Sections that begin on the page. */
  readonly sections: number;
  readonly sentences: number;
  /** In document order. */
  readonly candidates: readonly Candidate[];
}

/** Reads a page and offers its `limit` best sentences. */
export function summarizePage(page: Page, limit: number): PageNote {
  const sentences = page.sections.flatMap(sentencesOf);
  const centrality = rankSentences(sentences.map(({ text }) => words(text)));
  const candidates = sentences.map(({ text, weight }, position) => {
    const alone = standsAlone(text, page.number === 1 && position === 0);
    return { text, position, score: round((centrality[position] ?? 0) * weight * alone) };
  });
  return {
    sections: page.sections.filter((section) => !section.continued).length,
    sentences: sentences.length,
    candidates: chooseDistinct([], candidates, limit, OVERLAP.similar).toSorted(
      (a, b) => a.position - b.position,
    ),
  };
}

/** Prose sentences of a section; its opening says what it is about, and lists hold details. */
function sentencesOf(section: Section): { text: string; weight: number }[] {
  return section.passages.flatMap((passage, place) => {
    const kindWeight = passage.kind === 'item' ? 0.2 : 1;
    return splitSentences(plainText(passage.text))
      .map((text, index) => ({ text, weight: kindWeight * (place + index === 0 ? 1.4 : 1) }))
      .filter(({ text }) => isProse(text));
  });
}

function round(score: number): number {
  return Math.round(score * 1e6) / 1e6;
}
