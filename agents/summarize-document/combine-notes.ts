import { chooseDistinct, OVERLAP } from './choose-distinct.ts';
import { rankSentences } from './rank-sentences.ts';
import type { Candidate, PageNote } from './summarize-page.ts';
import { overlap, words } from './words.ts';

export interface Summary {
  /** In document order. */
  readonly summary: string[];
  readonly pages: number;
  readonly sections: number;
  readonly sentences: number;
}

const SENTENCES = { min: 5, max: 12 } as const;
/** A document says first what it is about. */
const OPENING_WEIGHT = 3;

/** Chooses the summary among what the pages offer: the best sentence of each stretch of the document. */
export function combineNotes(title: string, notes: readonly PageNote[]): Summary {
  const offered = rescore(title, notes);
  const length = Math.min(SENTENCES.max, Math.max(SENTENCES.min, Math.round(notes.length / 2)));
  const middle = median(offered.map(({ score }) => score));
  const good = offered.filter(({ score }) => score >= middle);
  let chosen: Place[] = [];
  for (const stretch of stretches(good, notes.length, length)) {
    chosen = chooseDistinct(chosen, stretch, chosen.length + 1, OVERLAP.distinct);
  }
  chosen = chooseDistinct(chosen, good, length, OVERLAP.distinct);
  chosen = chooseDistinct(chosen, offered, SENTENCES.min, OVERLAP.similar);
  return {
    summary: chosen.toSorted(inDocumentOrder).map(({ text }) => text),
    pages: notes.length,
    sections: sum(notes.map((note) => note.sections)),
    sentences: sum(notes.map((note) => note.sentences)),
  };
}

type Place = Candidate & { readonly page: number };

/** Weighs a sentence by its standing on its page, in the whole document and by what it shares with the title. */
function rescore(title: string, notes: readonly PageNote[]): Place[] {
  const places = notes.flatMap((note, page) => note.candidates.map((item) => ({ ...item, page })));
  const texts = places.map(({ text }) => words(text));
  const centrality = rankSentences(texts);
  return places.map((place, index) => {
    const aboutTitle = 1 + 0.5 * overlap(words(title), texts[index] ?? []);
    const opening = place.page + place.position === 0 ? OPENING_WEIGHT : 1;
    return {
      ...place,
      score: place.score * (0.3 + (centrality[index] ?? 0)) * aboutTitle * opening,
    };
  });
}

/** Cuts the document into `count` stretches of equal length; a page may hold several of them. */
function stretches(places: readonly Place[], pages: number, count: number): Place[][] {
  const cut = Array.from({ length: count }, (): Place[] => []);
  for (const place of places) cut[Math.floor((place.page * count) / pages)]?.push(place);
  return cut;
}

function inDocumentOrder(a: Place, b: Place): number {
  return a.page - b.page || a.position - b.position;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
