/** What a ticket can be about, and the words by which it is told. A word in the subject counts twice. */
interface Rule {
  readonly category: string;
  /** Words that settle it, and words that only hint at it. */
  readonly strong: RegExp;
  readonly weak: RegExp;
}

/** In the order of precedence: with the same score the first one wins. */
const RULES = [
  {
    category: 'outage',
    strong: /\b(?:outage|incident|503|(?:is|are|site) down|service unavailable|not reachable)\b/g,
    weak: /\b(?:unavailable|times? out|timeouts?|everywhere|for all|all our|production|whole|nobody|since (?:an hour|last night)|not delivered)\b/g,
  },
  {
    category: 'privacy',
    strong: /\b(?:gdpr|personal data|data processing agreement|dpa|data breach|subprocessors?)\b/g,
    weak: /\b(?:privacy|data stored|legal team|another company|someone else's|access request)\b/g,
  },
  {
    category: 'cancel',
    strong:
      /\b(?:cancel(?:lation)?|terminate|downgrade|close my account|(?:stop|end) (?:my|our) (?:plan|subscription)|(?:not want to|won't|will not) renew)\b/g,
    weak: /\b(?:subscription|contract|free plan|trial|another tool)\b/g,
  },
  {
    category: 'billing',
    strong: /\b(?:invoices?|refund|charged|billing|receipt|credit note|discount code|vat)\b/g,
    weak: /\b(?:payment|paid|pay|card|price|amount|bills?|eur|checkout|seats)\b/g,
  },
  {
    category: 'access',
    strong:
      /\b(?:(?:log|sign)(?:ged|ing)? ?in|login|locked|password|two-factor|2fa|sso|single sign-on|saml|permission|invit(?:e|ation))\b/g,
    weak: /\b(?:account|access|role|reset|unlock|rejected|refused|expired)\b/g,
  },
  {
    category: 'bug',
    strong:
      /\b(?:bug|crash(?:es|ed)?|broken|typeerror|error \d+|calculated wrong|does nothing|jumps back|shifted|freezes|hangs)\b/g,
    weak: /\b(?:errors?|fails?|500|wrong|duplicate|since (?:the update|version)|worked before|nothing happens|do(?:es)? not (?:appear|find|work))\b/g,
  },
  {
    category: 'feature',
    strong:
      /\b(?:feature request|suggestion|wish|would be (?:great|nice|helpful)|would (?:like|love) to (?:have|see)|please add|could you add|(?:do you|are there) plans?)\b/g,
    weak: /\b(?:integration|support for|add|plans?|dark mode|it would help)\b/g,
  },
  {
    category: 'howto',
    strong:
      /\b(?:how (?:do i|can i|to)|where (?:can|do) i find|is it possible|what is the difference|could you explain|can i)\b/g,
    weak: /\b(?:guide|documentation|help|example|question|set(?:ting)? up)\b/g,
  },
] as const satisfies readonly Rule[];

export const CATEGORIES = [...RULES.map(({ category }) => category), 'other'] as const;
export type Category = (typeof CATEGORIES)[number];

const STRONG = 3;
const WEAK = 1;

/** The category whose words weigh most; `other` when no word tells. */
export function categoryOf(ticket: { readonly subject: string; readonly body: string }): Category {
  const subject = ticket.subject.toLowerCase();
  const body = ticket.body.toLowerCase();
  let best: Category = 'other';
  let most = 0;
  for (const { category, strong, weak } of RULES) {
    const score =
      STRONG * (2 * count(strong, subject) + count(strong, body)) +
      WEAK * (2 * count(weak, subject) + count(weak, body));
    if (score > most) [best, most] = [category, score];
  }
  return best;
}

/** Different words: one that is repeated tells no more. */
function count(words: RegExp, text: string): number {
  return new Set(text.match(words)).size;
}
