/** One configuration key: its default, what it allows and what it does. */
export interface ConfigKey<Value = unknown> {
  readonly default: Value;
  /** What may be given, in words. */
  readonly allowed: string;
  /** What it does, one sentence; `docs/configuration.md` repeats it. */
  readonly effect: string;
  /** The typed value, or undefined when it is not allowed. Text is what the command line gives for any type. */
  parse(value: unknown): Value | undefined;
  /** What is wrong within a value that holds others, each with the path of what is meant. */
  faults?(value: unknown): readonly string[];
}

interface Description<Value> {
  readonly default: Value;
  readonly effect: string;
}

/** A whole number from `min` to `max`. */
export function whole(
  min: number,
  max: number,
  description: Description<number>,
): ConfigKey<number> {
  return {
    ...description,
    allowed: `a whole number from ${min} to ${max}`,
    parse: (value) => {
      const number = numberOf(value);
      return number !== undefined && Number.isInteger(number) && number >= min && number <= max
        ? number
        : undefined;
    },
  };
}

/** One of a few numbers or words. */
export function oneOf<const Choice extends string | number>(
  choices: readonly Choice[],
  description: Description<NoInfer<Choice>>,
): ConfigKey<Choice> {
  return {
    ...description,
    allowed: `one of ${choices.join(', ')}`,
    parse: (value) =>
      choices.find(
        (choice) => value === choice || (typeof choice === 'number' && numberOf(value) === choice),
      ),
  };
}

/** Text of a form; empty text stands for none where `form` lets it pass. */
export function text(
  form: RegExp,
  allowed: string,
  description: Description<string>,
): ConfigKey<string> {
  return {
    ...description,
    allowed,
    parse: (value) => (typeof value === 'string' && form.test(value) ? value : undefined),
  };
}

export function flag(description: Description<boolean>): ConfigKey<boolean> {
  return { ...description, allowed: 'true or false', parse: booleanOf };
}

/** `true` or `false`, also as the text that `cdk -c key=true` gives. */
export function booleanOf(value: unknown): boolean | undefined {
  if (value === true || value === 'true') return true;
  return value === false || value === 'false' ? false : undefined;
}

/** Plain decimal notation only: `Number` alone would take '', ' 5', '0x10' and '1e3' for numbers. */
function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : undefined;
}
