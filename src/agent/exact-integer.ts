/** As many digits as no double can do without: what is shorter is never changed. */
const MAY_BE_CHANGED = /\d{16}/;
const INTEGER = /^-?\d+$/;

/**
 * The first integer of a valid JSON text that JavaScript, and with it every agent, would read as another one:
 * `9007199254740993` as `9007199254740992`. What JavaScript itself writes for a double is none, nor are decimals.
 */
export function findInexactInteger(json: string): string | undefined {
  if (!MAY_BE_CHANGED.test(json)) return undefined;
  for (let at = 0; at < json.length;) {
    const character = json.charAt(at);
    if (character === '"') {
      at = endOfText(json, at);
      continue;
    }
    let end = at + 1;
    if (isOfNumber(character)) {
      while (isOfNumber(json.charAt(end))) end++;
      const number = json.slice(at, end);
      if (isInexact(number)) return number;
    }
    at = end;
  }
  return undefined;
}

function isInexact(number: string): boolean {
  if (!INTEGER.test(number)) return false;
  const read = Number(number);
  if (Number.isSafeInteger(read) || !Number.isFinite(read) || String(read) === number) return false;
  return BigInt(number) !== BigInt(read);
}

/** Outside of texts, where `e` of `true` and `false` may be taken for one: those are no integers. */
function isOfNumber(character: string): boolean {
  return (
    (character >= '0' && character <= '9') || (character !== '' && '+-.eE'.includes(character))
  );
}

/** Behind the quote that ends the text which begins here. */
function endOfText(json: string, start: number): number {
  for (
    let quote = json.indexOf('"', start + 1);
    quote !== -1;
    quote = json.indexOf('"', quote + 1)
  ) {
    let escapes = 0;
    while (json.charAt(quote - 1 - escapes) === '\\') escapes++;
    if (escapes % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** What to say of such a number. */
export function inexactMessage(number: string): string {
  const shown = number.length <= 40 ? number : `${number.slice(0, 40)}…`;
  return `the number ${shown} would be read as ${String(Number(number))}: send it as text`;
}
