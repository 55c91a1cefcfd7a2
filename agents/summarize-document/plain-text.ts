import { maskCode } from './code-spans.ts';

/** Elements that stand in markdown; anything else in angle brackets is text, like `<key>`. */
const TAG =
  /<\/?(?:a|abbr|article|b|blockquote|br|button|center|code|dd|del|details|div|dl|dt|em|figcaption|figure|font|h[1-6]|hr|i|iframe|img|input|ins|kbd|label|li|mark|ol|p|picture|s|section|small|source|span|strong|sub|summary|sup|t[bdhr]\w*|u|ul|video)\b[^>]*>/gi;
const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
};

/** The words of a markdown block as a reader sees them; inline code keeps its backticks and is left as it is. */
export function plainText(markdown: string): string {
  const masked = maskCode(markdown);
  return masked.unmask(withoutMarkup(masked.text)).replace(/\s+/g, ' ').trim();
}

function withoutMarkup(text: string): string {
  return withoutEntities(withoutEmphasis(withoutLinks(text)));
}

function withoutLinks(text: string): string {
  return (
    text
      // Images first: a badge is an image within a link.
      .replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g, '')
      .replace(/\[\^[^\]]+\]/g, '')
      .replace(/\[([^\][]*)\](?:\((?:[^()]|\([^)]*\))*\)|\[[^\]]*\])/g, '$1')
      // A shortcut reference: its text is its label.
      .replace(/\[(\uE000Z\d+\uE000)\]/g, '$1')
      .replace(/<(https?:[^>\s]+)>/g, '$1')
      .replace(TAG, '')
  );
}

function withoutEmphasis(text: string): string {
  return text
    .replace(/(\*{1,3})(?=\S)([^*]+?)(?<=\S)\1/g, '$2')
    .replace(/(?<![\p{L}\p{N}_])(_{1,3})(?=\S)([^_]+?)(?<=\S)\1(?![\p{L}\p{N}_])/gu, '$2')
    .replace(/~~([^~]+)~~/g, '$1')
    .replace(/\\([\\`*_{}[\]()#+\-.!<>|~])/g, '$1');
}

function withoutEntities(text: string): string {
  return text
    .replace(/&(\w+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/&#(\d{1,6});/g, (_, code: string) => String.fromCodePoint(Number(code)));
}
