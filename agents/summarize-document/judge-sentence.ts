import { words } from './words.ts';

const LIMITS = { chars: 500, minWords: 3, maxWords: 80 } as const;
/** Words of a sentence that reads easily in a summary. */
const COMFORTABLE = { min: 9, max: 28 } as const;

/** What makes a sentence read badly outside its place, and what remains of its standing then. Rules for English. */
const FLAWS: readonly { readonly sign: RegExp; readonly remains: number }[] = [
  {
    // No finite verb: a label or headline that ends in a full stop.
    sign: /^(?!.*\b(?:is|are|was|were|be|been|has|have|had|does?|did|can|could|will|would|shall|should|may|might|must|cannot|needs?|allows?|provides?|creates?|uses?|supports?|enables?|makes?|lets?|gives?|takes?|contains?|requires?|returns?|becomes?|means?|wants?|helps?|includes?|works?|runs?|consists?|\w+n['’]t|(?:you|we|they|which|who|i) \w+)\b)/i,
    remains: 0.15,
  },
  {
    // The line of a reference manual: its subject is the heading above.
    sign: /^(?:(?:A |An |The )?(?:[Mm]ethod|[Ff]unction|[Oo]ption|[Pp]roperty|[Ff]lag|[Ll]ist|[Ss]et|[Aa]rray|[Oo]bject) (?:to|that|which|of|for|used)\b|(?:(?:Automatically \w+s)|Returns|Gets|Sets|Adds|Creates|Removes|Specifies|Defines|Enables|Disables|Checks|Generates|Allows|Indicates|Determines|Provides|Throws|Controls|Whether|If true|If set)\b)/,
    remains: 0.3,
  },
  // A label before the sentence proper.
  { sign: /^[^.]{1,60}(?:: | [–—-] )/, remains: 0.4 },
  // Pointers to what a summary does not show.
  {
    sign: /\b(?:following|below|above|previous(?:ly)?|aforementioned|examples?|snippet|as follows|see (?:the|also|our|here)|click|learn more|read more|more (?:information|details)|documentation|this (?:section|document|guide|page|readme))\b/i,
    remains: 0.25,
  },
  // About the project, not about its subject.
  {
    sign: /\b(?:sponsor\w*|donat\w+|funds|funding|thank(?:s| you)|contribut(?:e|ion|or)s?|pull requests?|your (?:continuing )?support)\b/i,
    remains: 0.3,
  },
  { sign: /(?<!^)\b(?:this|these|those|the (?:same|latter|former))\b/i, remains: 0.5 },
  // A pronoun before there was room for what it stands for.
  { sign: /^(?:\S+ ){1,3}(?:it|its|them|they|their|he|she)\b/i, remains: 0.35 },
  { sign: /https?:|\[|;.*;/, remains: 0.4 },
  { sign: /[?？]["'”’»)]*$/, remains: 0.4 },
  { sign: /^["'“‘«(\d]/, remains: 0.6 },
];

/** Openings that lean on the sentence before. */
const LEANS_BACK =
  /^(?:this|that|these|those|it|its|they|their|he|she|his|her|such|here|both|either|neither|another|however|whereas|but|and|or|so|also|then|thus|hence|therefore|otherwise|instead|similarly|likewise|additionally|furthermore|moreover|alternatively|consequently|finally|next|again|as (?:a result|such|before|shown|mentioned|above)|in (?:addition|this|these|that|such|other words|contrast|both)|for (?:example|instance|this|these|more)|if so|to (?:do|achieve|enable) (?:this|so|that)|by doing so|with this|note|see|refer|the (?:following|above|latter|former|same|example|code|snippet))\b/i;

/** Whether text is a complete sentence of words that can stand in a summary at all. */
export function isProse(sentence: string): boolean {
  if (sentence.length > LIMITS.chars || !/[.!?。！？]["'”’»)]*$/u.test(sentence)) return false;
  if (!/^["'“‘«(]?[\p{Lu}\p{Lo}\p{N}`]/u.test(sentence) || !isBalanced(sentence)) return false;
  const prose = sentence.replace(/`[^`]*`/g, ' ').replace(/https?:\S+/g, ' ');
  const count = words(prose).length;
  if (count < LIMITS.minWords || count > LIMITS.maxWords) return false;
  const letters = prose.match(/[\p{L}\s]/gu)?.length ?? 0;
  return letters / prose.length > 0.85 && !isShouted(prose);
}

/** How well a sentence reads on its own, from 0 to 1. The first one of a document has none to lean on. */
export function standsAlone(sentence: string, opensDocument = false): number {
  const count = words(sentence).length;
  let score = Math.min(1, COMFORTABLE.max / count, count / COMFORTABLE.min) ** 2;
  if (!opensDocument && LEANS_BACK.test(sentence)) score *= 0.15;
  for (const { sign, remains } of FLAWS) {
    if (sign.test(sentence)) score *= remains;
  }
  return score;
}

/** An odd bracket or quote is a sign of a sentence cut in two. */
function isBalanced(sentence: string): boolean {
  const count = (sign: string) => sentence.split(sign).length - 1;
  return (
    count('(') === count(')') &&
    count('[') === count(']') &&
    count('“') === count('”') &&
    count('"') % 2 === 0 &&
    count('`') % 2 === 0
  );
}

function isShouted(prose: string): boolean {
  return prose === prose.toUpperCase() && prose !== prose.toLowerCase();
}
