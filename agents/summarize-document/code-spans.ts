/** Text whose inline code has been replaced by stand-ins, and the way back. */
export interface MaskedText {
  readonly text: string;
  unmask(part: string): string;
}

/**
 * Hides inline code from whatever is done to the text around it. The stand-in holds a capital letter, so that the
 * sentence segmenter takes it for a word that may begin a sentence.
 */
export function maskCode(text: string): MaskedText {
  const spans: string[] = [];
  const masked = text.replace(/(`+)(?!`)[\s\S]*?(?<!`)\1(?!`)/g, (span) => {
    spans.push(span);
    return `\uE000Z${spans.length - 1}\uE000`;
  });
  return {
    text: masked,
    unmask: (part) =>
      part.replace(/\uE000Z(\d+)\uE000/g, (_, index: string) => spans[Number(index)] ?? ''),
  };
}
