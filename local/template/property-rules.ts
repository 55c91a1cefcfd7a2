import { TemplateError } from './template-error.ts';

/** Understood and acted upon, with everything below it. */
export const played = { kind: 'played' } as const;

/** Understood and without effect in the local cloud. The reason is for the reader of the table. */
export const inert = (reason: string) => ({ kind: 'inert', reason }) as const;

/** Understood for these values only; any other would need behaviour this cloud does not have. */
export const only = (...values: readonly (string | number | boolean)[]) =>
  ({ kind: 'only', values }) as const;

/** A property with properties of its own; a list of such is checked element by element. */
export const nested = (properties: PropertyRules) => ({ kind: 'nested', properties }) as const;

export type PropertyRule =
  | typeof played
  | ReturnType<typeof inert>
  | ReturnType<typeof only>
  | { readonly kind: 'nested'; readonly properties: PropertyRules };

export type PropertyRules = Readonly<Record<string, PropertyRule>>;

/** Refuses a property, or a value of it, that nothing in this cloud understands. */
export function checkProperties(
  where: string,
  properties: Readonly<Record<string, unknown>>,
  rules: PropertyRules,
  path = '',
): void {
  for (const [name, value] of Object.entries(properties)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (!rule) throw new TemplateError(where, `unknown property ${path}${name}`);
    checkValue(where, value, rule, `${path}${name}`);
  }
}

function checkValue(where: string, value: unknown, rule: PropertyRule, path: string): void {
  if (rule.kind === 'only') {
    const values: unknown[] = Array.isArray(value) ? value : [value];
    for (const one of values) {
      if (rule.values.some((allowed) => String(allowed) === String(one))) continue;
      const allowed = rule.values.join(', ');
      throw new TemplateError(
        where,
        `unknown value ${JSON.stringify(one)} of ${path}; known: ${allowed}`,
      );
    }
  } else if (rule.kind === 'nested') {
    const parts: unknown[] = Array.isArray(value) ? value : [value];
    for (const part of parts) {
      if (typeof part !== 'object' || part === null) {
        throw new TemplateError(
          where,
          `${path} needs properties of its own, got ${JSON.stringify(part)}`,
        );
      }
      checkProperties(where, part as Record<string, unknown>, rule.properties, `${path}.`);
    }
  }
}
