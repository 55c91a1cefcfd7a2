import { TemplateError } from '../template/template-error.ts';

const TERMS = /^(?:\??(?:"[^"]+"|[\w.:-]+)(?: +|$))+$/;
const TERM = /(\??)(?:"([^"]+)"|([\w.:-]+))/g;

/**
 * What lines a filter pattern of CloudWatch Logs takes. Played are lists of terms: all of them (`"a b" c`), or any (`?"a b" ?c`).
 * @throws TemplateError for any other pattern, naming the resource
 */
export function filterPattern(where: string, pattern: string): (line: string) => boolean {
  const trimmed = pattern.trim();
  const terms = Array.from(trimmed.matchAll(TERM), ([, mark, quoted, bare]) => ({
    isOptional: mark === '?',
    text: quoted ?? bare ?? '',
  }));
  const texts = terms.map(({ text }) => text);
  if (trimmed === '') return () => true;
  if (TERMS.test(trimmed) && !texts.some((text) => text.startsWith('-'))) {
    if (terms.every(({ isOptional }) => isOptional)) {
      return (line) => texts.some((text) => line.includes(text));
    }
    if (terms.every(({ isOptional }) => !isOptional)) {
      return (line) => texts.every((text) => line.includes(text));
    }
  }
  throw new TemplateError(
    where,
    `unknown filter pattern ${pattern}; known: terms that must all be there, or any of terms marked with ?`,
  );
}
