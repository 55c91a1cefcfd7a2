import type { Queue, QueuedMessage } from './fauxqs-stores.ts';

/** Where the sender repeats the message group: fauxqs accepts the system attribute and drops it. */
const GROUP_ATTRIBUTE = 'MessageGroupId';

/** Group of a message; one without a group is a tenant of its own, as SQS counts it. */
function groupOf(message: QueuedMessage): string {
  return (
    message.messageGroupId ??
    message.messageAttributes[GROUP_ATTRIBUTE]?.StringValue ??
    message.messageId
  );
}

/**
 * The order in which a fair queue hands out what is waiting: each next message from the group that has the fewest in
 * flight, the longest waiting first among equals. Returns the first `count`, then the rest as they were.
 */
export function fairOrder(
  waiting: readonly QueuedMessage[],
  inFlight: Iterable<QueuedMessage>,
  count: number,
): QueuedMessage[] {
  const load = new Map<string, number>();
  for (const message of inFlight) load.set(groupOf(message), (load.get(groupOf(message)) ?? 0) + 1);
  const lanes = new Map<string, QueuedMessage[]>();
  for (const message of waiting) {
    const lane = lanes.get(groupOf(message));
    if (lane) lane.push(message);
    else lanes.set(groupOf(message), [message]);
  }
  if (lanes.size <= 1) return [...waiting];
  const chosen = new Set<QueuedMessage>();
  const cursors = new Map<string, number>();
  while (chosen.size < count && chosen.size < waiting.length) {
    const group = leastLoaded(lanes, cursors, load);
    const at = cursors.get(group) ?? 0;
    const message = lanes.get(group)?.[at];
    if (!message) break;
    chosen.add(message);
    cursors.set(group, at + 1);
    load.set(group, (load.get(group) ?? 0) + 1);
  }
  return [...chosen, ...waiting.filter((message) => !chosen.has(message))];
}

/** Lanes are in the order of their oldest message, so the first of the least loaded has waited longest. */
function leastLoaded(
  lanes: ReadonlyMap<string, readonly QueuedMessage[]>,
  cursors: ReadonlyMap<string, number>,
  load: ReadonlyMap<string, number>,
): string {
  let best = '';
  let bestLoad = Infinity;
  for (const [group, lane] of lanes) {
    if ((cursors.get(group) ?? 0) >= lane.length) continue;
    const groupLoad = load.get(group) ?? 0;
    if (groupLoad < bestLoad) [best, bestLoad] = [group, groupLoad];
  }
  return best;
}

/** Makes every queue of the emulator a fair one. */
export function handOutFairly(queue: Queue): void {
  const dequeue = Reflect.get(queue, 'dequeue') as unknown;
  if (typeof dequeue !== 'function') throw new Error('fauxqs: SqsQueue.dequeue is not there');
  queue.dequeue = function (this: Queue, ...args: unknown[]) {
    this.processTimers();
    const inFlight = Array.from(this.inflightMessages.values(), ({ message }) => message);
    this.messages = fairOrder(this.messages, inFlight, Number(args[0]));
    return Reflect.apply(dequeue, this, args) as unknown[];
  };
}
