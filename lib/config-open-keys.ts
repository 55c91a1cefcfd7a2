import type { ConfigKey } from './config-key.ts';

type Tags = Readonly<Record<string, string>>;

const TAG_KEY = /^(?!aws:)[\p{L}\p{N}\p{Z}_.:/=+@-]{1,128}$/iu;
const TAG_VALUE = /^[\p{L}\p{N}\p{Z}_.:/=+@-]{0,256}$/u;
/** AWS takes 50, and CDK and CloudFormation add some of their own. */
const MOST_TAGS = 40;

/** Names of the user's own choice with a text each. */
export function tags(description: { readonly effect: string }): ConfigKey<Tags> {
  return {
    ...description,
    default: {},
    allowed: `an object of up to ${MOST_TAGS} names, 1 to 128 characters and not beginning with aws:, with a text of up to 256 characters each; letters, digits, blanks and _ . : / = + - @`,
    parse: (value) => {
      const object = objectOf(value);
      return object !== undefined && areTags(object) ? object : undefined;
    },
  };
}

/** An object, also as the JSON that `cdk -c key='{…}'` gives. */
export function objectOf(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const object = typeof value === 'string' ? parsed(value) : value;
  return typeof object === 'object' && object !== null && !Array.isArray(object)
    ? (object as Readonly<Record<string, unknown>>)
    : undefined;
}

function areTags(object: Readonly<Record<string, unknown>>): object is Tags {
  const entries = Object.entries(object);
  return (
    entries.length <= MOST_TAGS &&
    entries.every(
      ([name, value]) => TAG_KEY.test(name) && typeof value === 'string' && TAG_VALUE.test(value),
    )
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
