import { checkItemSize } from '../../core/job/item-limit.ts';
import type { ChildOutcome } from '../../core/job/child-outcome.ts';
import type { ReceivedSignal } from '../../core/job/signal.ts';
import type { JobStore } from '../../core/ports/job-store.ts';
import { attempt } from './attempt.ts';
import { itemSizeBytes } from './item-size.ts';
import {
  CHILD_KEYS,
  type KeyRange,
  SIGNAL_KEYS,
  childIdOf,
  childKey,
  jobIdOf,
  jobPartition,
  signalKey,
  signalNameOf,
} from './keys.ts';
import { type Item, type Table, ifFree, putItem, queryRange } from './table.ts';

type PutOnceItems = Pick<
  JobStore,
  'putSignal' | 'listSignals' | 'putChildOutcome' | 'listChildOutcomes'
>;

/** What others leave beside a job: signals and outcomes of sub-jobs. */
export function putOnceItems(table: Table): PutOnceItems {
  return {
    putSignal: (signal) => {
      const item = toSignalItem(signal);
      return putOnce(table, { what: 'signal', jobId: signal.jobId, item });
    },
    listSignals: async (jobId) => {
      const items = await list(table, jobId, SIGNAL_KEYS);
      return items.map(fromSignalItem);
    },
    putChildOutcome: (outcome) => {
      const item = toChildItem(outcome);
      return putOnce(table, { what: 'child outcome', jobId: outcome.parentId, item });
    },
    listChildOutcomes: async (parentId) => {
      const items = await list(table, parentId, CHILD_KEYS);
      return items.map(fromChildItem);
    },
  };
}

async function putOnce(
  table: Table,
  { what, jobId, item }: { readonly what: string; readonly jobId: string; readonly item: Item },
): Promise<'stored' | 'duplicate'> {
  checkItemSize(what, itemSizeBytes(item), jobId);
  const put = await attempt(putItem(table, item, ifFree(table)));
  return put.applied ? 'stored' : 'duplicate';
}

function list(table: Table, jobId: string, keys: KeyRange): Promise<Item[]> {
  return queryRange(table, { pk: jobPartition(jobId), ...keys }, { ConsistentRead: true });
}

function toSignalItem(signal: ReceivedSignal): Item {
  const { body, receivedAt, expiresAtSeconds } = signal;
  return { ...signalKey(signal), body, receivedAt, expiresAtSeconds };
}

export function fromSignalItem(item: Item): ReceivedSignal {
  return {
    jobId: jobIdOf(item.pk as string),
    ...signalNameOf(item.sk as string),
    body: item.body as ReceivedSignal['body'],
    receivedAt: item.receivedAt as number,
    expiresAtSeconds: item.expiresAtSeconds as number,
  };
}

/** The error is kept as text, since it holds what an agent wrote. */
function toChildItem({ parentId, childId, error, ...attributes }: ChildOutcome): Item {
  const item = { ...childKey(parentId, childId), ...attributes };
  return error === undefined ? item : { ...item, error: JSON.stringify(error) };
}

export function fromChildItem({ pk, sk, error, ...attributes }: Item): ChildOutcome {
  const outcome = {
    parentId: jobIdOf(pk as string),
    childId: childIdOf(sk as string),
    ...(attributes as Pick<ChildOutcome, 'status' | 'result' | 'expiresAtSeconds'>),
  };
  if (error === undefined) return outcome;
  return { ...outcome, error: JSON.parse(error as string) as NonNullable<ChildOutcome['error']> };
}
