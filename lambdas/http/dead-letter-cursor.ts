import type { DeadLetterFilters } from '../../src/core/commands/list-dead-letters.ts';
import type { DeadLetterPosition } from '../../src/core/job/dead-letter-entry.ts';
import type { CursorSeal } from './cursor-seal.ts';

/** What a cursor of the dead letters is good for. */
export function deadLettersOf(tenantId: string, filters: DeadLetterFilters): readonly unknown[] {
  return ['dead-letters', tenantId, filters];
}

/** @throws RequestRefused `invalid_cursor` */
export async function placeOf(
  cursors: CursorSeal,
  boundTo: readonly unknown[],
  cursor: string,
): Promise<DeadLetterPosition> {
  return (await cursors.open(boundTo, cursor)) as DeadLetterPosition;
}
