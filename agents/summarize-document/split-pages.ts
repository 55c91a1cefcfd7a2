import { type Block, splitBlocks } from './split-blocks.ts';

/** A stretch of a document that one step reads. */
export interface Page {
  /** 1-based. */
  readonly number: number;
  readonly sections: readonly Section[];
}

export interface Section {
  /** Empty before the first heading. */
  readonly heading: string;
  /** Whether the section began on an earlier page. */
  readonly continued: boolean;
  readonly passages: readonly Passage[];
}

export interface Passage {
  readonly kind: 'paragraph' | 'item';
  readonly text: string;
}

const PAGE_CHARS = 6_000;

/**
 * Splits a document into pages of about 6,000 characters of source, code and tables included. A page ends at a heading
 * when one comes up in its last third.
 */
export function splitPages(text: string): Page[] {
  const pages: PageDraft[] = [];
  let heading = '';
  let chars = 0;
  for (const block of splitBlocks(text).flatMap(splitLongBlock)) {
    if (pages.length === 0 || isFull(chars, block)) {
      pages.push({ number: pages.length + 1, sections: [] });
      chars = 0;
    }
    chars += block.sourceChars;
    const sections = pages.at(-1)?.sections ?? [];
    if (block.kind === 'heading') {
      heading = block.text;
      sections.push({ heading, continued: false, passages: [] });
    } else {
      if (sections.length === 0) {
        sections.push({ heading, continued: pages.length > 1, passages: [] });
      }
      sections.at(-1)?.passages.push({ kind: block.kind, text: block.text });
    }
  }
  return pages;
}

type SectionDraft = Omit<Section, 'passages'> & { readonly passages: Passage[] };
type PageDraft = Omit<Page, 'sections'> & { readonly sections: SectionDraft[] };

function isFull(chars: number, block: Block): boolean {
  if (chars === 0) return false;
  const limit = block.kind === 'heading' ? PAGE_CHARS * (2 / 3) : PAGE_CHARS;
  return chars + block.sourceChars > limit;
}

/** Cuts a paragraph that would overfill a page at the ends of sentences, or, where there are none, at spaces. */
function splitLongBlock(block: Block): Block[] {
  if (block.text.length <= PAGE_CHARS) return [block];
  const parts: Block[] = [];
  for (let rest = block.text; rest !== '';) {
    const end = cutAt(rest);
    parts.push({ ...block, text: rest.slice(0, end), sourceChars: end });
    rest = rest.slice(end);
  }
  return parts;
}

function cutAt(text: string): number {
  const half = PAGE_CHARS / 2;
  if (text.length <= half) return text.length;
  const head = text.slice(0, half);
  const stop = Math.max(...['. ', '! ', '? ', '。'].map((end) => head.lastIndexOf(end)));
  const end = stop > 0 ? stop + 2 : head.lastIndexOf(' ') + 1;
  return end > 0 ? end : half;
}
