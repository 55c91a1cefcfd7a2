import type { JobUpdate } from '../../../src/core/job/item-update.ts';
import type { JournalPage } from '../../../src/core/job/journal.ts';

/** A call in one line of the interleaving. */
export function describeCall(name: string, args: readonly unknown[]): string {
  switch (name) {
    case 'updateJob':
      return `${String(args[0])} ${describeUpdate(args[1] as JobUpdate)}`;
    case 'appendPage':
      return describePage(args[0] as JournalPage);
    default:
      return plain(args);
  }
}

function describeUpdate({ set, setIfAbsent, add, remove }: JobUpdate): string {
  const parts = Object.entries({ ...set, ...setIfAbsent }).map(
    ([name, value]) => `${name}=${plain(value)}`,
  );
  for (const [name, amount] of Object.entries(add ?? {})) parts.push(`${name}+=${amount}`);
  for (const name of remove ?? []) parts.push(`-${name}`);
  return parts.filter((part) => !part.startsWith('updatedAt')).join(' ');
}

export function describePage({ jobId, generation, seq, entries }: JournalPage): string {
  const texts = entries.map(
    ({ type, at: _at, attempt: _attempt, ...rest }) => `${type}(${plain(rest)})`,
  );
  return `${jobId} g${generation} #${seq} ${texts.join(' ')}`;
}

function plain(value: unknown): string {
  const text = value === undefined ? 'undefined' : JSON.stringify(value);
  const bare = text.replaceAll(/\\?"/g, '').replaceAll(/stack:.*?(?=[,}]\w*[:}])/g, 'stack:…');
  return bare.length > 200 ? `${bare.slice(0, 200)}…` : bare;
}
