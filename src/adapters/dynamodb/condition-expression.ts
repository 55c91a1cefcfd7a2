import type { Condition } from '../../core/job/item-update.ts';
import { TABLE_KEYS } from '../../settings/names.ts';
import type { Placeholders } from './placeholders.ts';

/**
 * A condition of the core as a DynamoDB expression. AND binds before OR, so that only an OR within an AND is put into
 * parentheses: the parser of dynalite takes about eight times as long with every level of them.
 */
export function conditionExpression(condition: Condition, placeholders: Placeholders): string {
  if ('all' in condition) return allOf(condition.all, placeholders);
  if ('any' in condition) return anyOf(condition.any, placeholders);
  const name = placeholders.name(condition.attribute);
  switch (condition.is) {
    case 'present':
      return `attribute_exists(${name})`;
    case 'absent':
      return `attribute_not_exists(${name})`;
    case '=':
    case '<':
    case '<=':
      return `${name} ${condition.is} ${placeholders.value(condition.value)}`;
  }
}

/** The condition as a part of an AND. */
export function conjunct(condition: Condition, placeholders: Placeholders): string {
  const expression = conditionExpression(condition, placeholders);
  return isAlternative(condition) ? `(${expression})` : expression;
}

/** Of no conditions all hold: every item has its partition key. */
function allOf(conditions: readonly Condition[], placeholders: Placeholders): string {
  const [only, ...others] = conditions;
  if (only === undefined) return `attribute_exists(${placeholders.name(TABLE_KEYS.partition)})`;
  if (others.length === 0) return conditionExpression(only, placeholders);
  return conditions.map((part) => conjunct(part, placeholders)).join(' AND ');
}

/** Of no conditions none holds. */
function anyOf(conditions: readonly Condition[], placeholders: Placeholders): string {
  if (conditions.length === 0) {
    return `attribute_not_exists(${placeholders.name(TABLE_KEYS.partition)})`;
  }
  return conditions.map((part) => conditionExpression(part, placeholders)).join(' OR ');
}

/** Whether the expression is an OR of several. */
function isAlternative(condition: Condition): boolean {
  if ('any' in condition) return condition.any.length > 1 || condition.any.some(isAlternative);
  return 'all' in condition && condition.all.length === 1 && condition.all.some(isAlternative);
}
