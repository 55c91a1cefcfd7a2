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

interface Lane {
  readonly group: string;
  /** What waits, the longest waiting first. */
  readonly messages: readonly QueuedMessage[];
  taken: number;
  inFlight: number;
}

/**
 * The order in which a fair queue hands out what is waiting: each next message from the group with the fewest in flight,
 * among equals from the one whose turn is longest ago.
 */
export class FairOrder {
  /** Turn in which each group with waiting messages was last served. */
  #turns = new Map<string, number>();
  #turn = 0;

  /** The next `count` messages, then the rest as they were. */
  arrange(
    waiting: readonly QueuedMessage[],
    inFlight: readonly QueuedMessage[],
    count: number,
  ): QueuedMessage[] {
    const lanes = lanesOf(waiting, inFlight);
    // A group of which nothing waits has no turn to remember.
    this.#turns = new Map(lanes.map(({ group }) => [group, this.#turns.get(group) ?? 0]));
    const chosen = new Set<QueuedMessage>();
    while (chosen.size < Math.min(count, waiting.length)) chosen.add(this.#take(lanes));
    return [...chosen, ...waiting.filter((message) => !chosen.has(message))];
  }

  #take(lanes: readonly Lane[]): QueuedMessage {
    const lane = lanes
      .filter(({ messages, taken }) => taken < messages.length)
      .reduce((best, other) => (this.#isBefore(other, best) ? other : best));
    this.#turn += 1;
    this.#turns.set(lane.group, this.#turn);
    const message = lane.messages[lane.taken] as QueuedMessage;
    lane.taken += 1;
    lane.inFlight += 1;
    return message;
  }

  #isBefore(one: Lane, other: Lane): boolean {
    const turnOf = ({ group }: Lane) => this.#turns.get(group) ?? 0;
    return (
      one.inFlight - other.inFlight < 0 ||
      (one.inFlight === other.inFlight && turnOf(one) < turnOf(other))
    );
  }
}

/** One lane per group, in the order of their longest waiting messages. */
function lanesOf(waiting: readonly QueuedMessage[], inFlight: readonly QueuedMessage[]): Lane[] {
  const messages = Map.groupBy(waiting, groupOf);
  const loads = Map.groupBy(inFlight, groupOf);
  return Array.from(messages, ([group, own]) => ({
    group,
    messages: own,
    taken: 0,
    inFlight: loads.get(group)?.length ?? 0,
  }));
}

/** Makes every queue of the emulator a fair one. */
export function handOutFairly(queue: Queue): void {
  const dequeue = Reflect.get(queue, 'dequeue') as unknown;
  if (typeof dequeue !== 'function') throw new Error('fauxqs: SqsQueue.dequeue is not there');
  const orders = new WeakMap<Queue, FairOrder>();
  queue.dequeue = function (this: Queue, ...args: unknown[]) {
    const order = orders.get(this) ?? new FairOrder();
    orders.set(this, order);
    this.processTimers();
    const inFlight = Array.from(this.inflightMessages.values(), ({ message }) => message);
    this.messages = order.arrange(this.messages, inFlight, Number(args[0]));
    return Reflect.apply(dequeue, this, args) as unknown[];
  };
}
