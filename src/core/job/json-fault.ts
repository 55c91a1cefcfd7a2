/**
 * Why a text is no JSON, by what `JSON.parse` threw. V8 quotes the text around the fault, or all of a short one; it may be a secret, and
 * answers are logged by many, so that is left out.
 */
export function jsonFault(error: unknown): string {
  return (error as Error).message
    .replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '')
    .replace(/^".*" is not valid JSON$/s, 'the text is not valid JSON');
}
