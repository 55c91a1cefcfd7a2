import { stripHidden } from './strip-hidden.ts';

/** A piece of a document that can hold prose. Code, tables and rules between the pieces count as size only. */
export interface Block {
  readonly kind: 'heading' | 'paragraph' | 'item';
  readonly text: string;
  /** Characters of the source from the end of the block before to the end of this one. */
  readonly sourceChars: number;
}

const FENCE = /^\s*(?:>\s*)*(`{3,}|~{3,})/;
const FENCE_END = /^\s*(?:>\s*)*(`{3,}|~{3,})\s*$/;
const HEADING = /^ {0,3}#{1,6}\s+(.*?)\s*#*\s*$/;
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/;
const RULE = /^ {0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/;
const ITEM = /^\s*(?:[-*+•]|\d{1,3}[.)])\s+(.*)$/;
const TABLE_DELIMITER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)+\|?\s*$/;
/** A longer line is text: it cannot be a heading or a table, and patterns would take long to find that out. */
const LONG_LINE = 1_000;
/** Link and footnote definitions, admonition fences, alert markers. */
const NOISE = /^\s*(?:\[[^\]]+\]:\s.*|:::.*|\[!\w+\]\s*)$/;

/** Splits markdown or plain text into its headings, paragraphs and list items, in order. */
export function splitBlocks(source: string): Block[] {
  const scanner = new BlockScanner(isMarkdown(source));
  const text = stripHidden(source.replace(/\r\n?/g, '\n'));
  for (const line of text.split('\n')) scanner.read(line);
  return scanner.end();
}

/** Indented text is code in markdown and just indented elsewhere; short lone lines are headings in plain text only. */
function isMarkdown(source: string): boolean {
  return /^ {0,3}(?:#{1,6}\s|```|~~~)/m.test(source);
}

class BlockScanner {
  readonly #markdown: boolean;
  readonly #blocks: Block[] = [];
  #lines: string[] = [];
  #kind: 'paragraph' | 'item' = 'paragraph';
  #fence: string | undefined;
  #inTable = false;
  #inList = false;
  #chars = 0;

  constructor(markdown: boolean) {
    this.#markdown = markdown;
  }

  read(line: string): void {
    this.#chars += line.length + 1;
    if (line.length > LONG_LINE) {
      if (this.#fence === undefined) this.#continue(line);
      return;
    }
    if (this.#readFence(line)) return;
    const text = line.replace(/^\s*(?:>\s?)+/, '');
    if (text.trim() === '') {
      this.#close();
      return;
    }
    this.#readText(text);
  }

  end(): Block[] {
    this.#close();
    return this.#blocks;
  }

  #readFence(line: string): boolean {
    if (this.#fence !== undefined) {
      if (FENCE_END.exec(line)?.[1]?.startsWith(this.#fence) === true) this.#fence = undefined;
      return true;
    }
    const mark = FENCE.exec(line)?.[1];
    if (mark === undefined) return false;
    this.#close();
    this.#fence = mark;
    return true;
  }

  #readText(line: string): void {
    const heading = HEADING.exec(line);
    const item = ITEM.exec(line);
    if (heading !== null) this.#add('heading', heading[1] ?? '');
    else if (this.#readUnderline(line) || this.#readTable(line)) return;
    else if (RULE.test(line) || NOISE.test(line)) this.#close();
    else if (item !== null) this.#open('item', item[1] ?? '');
    else if (this.#isIndentedCode(line)) this.#close();
    else this.#continue(line);
  }

  /** A line of `=` or `-` makes a heading of the line above it. */
  #readUnderline(line: string): boolean {
    if (!UNDERLINE.test(line) || this.#kind !== 'paragraph' || this.#lines.length !== 1) {
      return false;
    }
    const heading = this.#lines[0] ?? '';
    this.#lines = [];
    this.#add('heading', heading);
    return true;
  }

  #readTable(line: string): boolean {
    if (TABLE_DELIMITER.test(line)) {
      if (this.#lines.at(-1)?.includes('|') === true) this.#lines.pop();
      this.#close();
      this.#inTable = true;
      return true;
    }
    return this.#inTable || line.trimStart().startsWith('|');
  }

  #isIndentedCode(line: string): boolean {
    const indented = /^(?: {4}|\t)/.test(line);
    return this.#markdown && indented && this.#lines.length === 0 && !this.#inList;
  }

  #open(kind: 'paragraph' | 'item', line: string): void {
    this.#close();
    this.#kind = kind;
    this.#inList = kind === 'item';
    this.#lines.push(line);
  }

  #continue(line: string): void {
    if (this.#lines.length > 0) this.#lines.push(line);
    else this.#open(this.#inList && /^\s/.test(line) ? 'item' : 'paragraph', line);
  }

  #close(): void {
    this.#inTable = false;
    if (this.#lines.length === 0) return;
    const text = this.#lines.map((line) => line.trim()).join(' ');
    const lone = this.#lines.length === 1 && this.#kind === 'paragraph';
    this.#lines = [];
    this.#add(lone && !this.#markdown && isTitle(text) ? 'heading' : this.#kind, text);
  }

  #add(kind: Block['kind'], text: string): void {
    this.#close();
    if (kind !== 'item') this.#inList = false;
    this.#blocks.push({ kind, text, sourceChars: this.#chars });
    this.#chars = 0;
  }
}

function isTitle(line: string): boolean {
  return line.length <= 80 && /^[\p{Lu}\p{N}]/u.test(line) && !/[.!?:;,]$/.test(line);
}
