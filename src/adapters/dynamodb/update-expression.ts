import type { JobUpdate } from '../../core/job/item-update.ts';
import { TABLE_KEYS } from '../../settings/names.ts';
import { conjunct } from './condition-expression.ts';
import { encodeAttributes } from './job-codec.ts';
import { Placeholders } from './placeholders.ts';

/**
 * The expressions of an `UpdateItem` for a change of the job item. An expired item is refused like an absent one: it may be
 * gone at any moment, and so is what was written to it. The comparison with the TTL attribute also keeps `UpdateItem` from
 * creating an item, since it fails where there is none.
 */
export function updateExpressions(update: JobUpdate, nowSeconds: number) {
  const placeholders = new Placeholders();
  const condition = conjunct(update.condition, placeholders);
  const alive = `${placeholders.name(TABLE_KEYS.ttl)} > ${placeholders.value(nowSeconds)}`;
  const changes = changesOf(update, placeholders);
  return {
    ConditionExpression: `${alive} AND ${condition}`,
    ...(changes === '' ? {} : { UpdateExpression: changes }),
    ...placeholders.attributes,
  };
}

/** DynamoDB refuses an attribute that is named twice, so for each the port's order of changes is worked out here. */
function changesOf(update: JobUpdate, placeholders: Placeholders): string {
  const removed = new Set<string>(update.remove);
  const set = new Map(Object.entries(encodeAttributes(update.set ?? {})));
  const add = new Map(Object.entries(update.add ?? {}));
  for (const [name, amount] of add) {
    const value = set.get(name);
    if (typeof value !== 'number') continue;
    set.set(name, value + amount);
    add.delete(name);
  }
  const setIfAbsent = Object.entries(encodeAttributes(update.setIfAbsent ?? {})).filter(
    ([name]) => !set.has(name) && !add.has(name),
  );
  const isKept = ([name]: readonly [string, unknown]): boolean => !removed.has(name);

  return [
    clause('SET', [
      ...[...set].filter(isKept).map(([name, value]) => {
        return `${placeholders.name(name)} = ${placeholders.value(value)}`;
      }),
      ...setIfAbsent.filter(isKept).map(([name, value]) => {
        const attribute = placeholders.name(name);
        return `${attribute} = if_not_exists(${attribute}, ${placeholders.value(value)})`;
      }),
    ]),
    clause(
      'ADD',
      [...add].filter(isKept).map(([name, amount]) => {
        return `${placeholders.name(name)} ${placeholders.value(amount)}`;
      }),
    ),
    clause(
      'REMOVE',
      [...removed].map((name) => placeholders.name(name)),
    ),
  ]
    .filter((text) => text !== '')
    .join(' ');
}

function clause(keyword: 'SET' | 'ADD' | 'REMOVE', actions: readonly string[]): string {
  return actions.length === 0 ? '' : `${keyword} ${actions.join(', ')}`;
}
