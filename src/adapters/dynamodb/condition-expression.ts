import type { Condition } from '../../core/job/item-update.ts';
import { TABLE_KEYS } from '../../settings/names.ts';
import type { Placeholders } from './placeholders.ts';

/** A condition of the core as a DynamoDB expression. */
export function conditionExpression(condition: Condition, placeholders: Placeholders): string {
  if ('all' in condition) return join(condition.all, ' AND ', placeholders);
  if ('any' in condition) return join(condition.any, ' OR ', placeholders);
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

/** Of no conditions all hold and none does: every item has its partition key. */
function join(
  conditions: readonly Condition[],
  operator: ' AND ' | ' OR ',
  placeholders: Placeholders,
): string {
  if (conditions.length === 0) {
    const name = placeholders.name(TABLE_KEYS.partition);
    return operator === ' AND ' ? `attribute_exists(${name})` : `attribute_not_exists(${name})`;
  }
  const parts = conditions.map((part) => conditionExpression(part, placeholders));
  return parts.length === 1 ? parts.join('') : `(${parts.join(operator)})`;
}
