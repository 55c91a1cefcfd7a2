import { describe, expect, it } from '@jest/globals';
import { FairOrder } from '../../../local/emulators/fair-order.ts';
import type { QueuedMessage } from '../../../local/emulators/fauxqs-stores.ts';

/** `a1`: message 1 of group a; `-1`: one without a group. */
const message = (messageId: string): QueuedMessage => ({
  messageId,
  messageAttributes: messageId.startsWith('-')
    ? {}
    : { MessageGroupId: { StringValue: messageId.charAt(0) } },
  sentTimestamp: 0,
  approximateReceiveCount: 0,
});

const messages = (ids: string) => ids.split(' ').filter(Boolean).map(message);

const ids = (order: readonly QueuedMessage[]) => order.map(({ messageId }) => messageId).join(' ');

describe('the order of a fair queue', () => {
  it.each([
    { name: 'one group is first in, first out', waiting: 'a1 a2 a3', expected: 'a1 a2 a3' },
    { name: 'groups take turns', waiting: 'a1 a2 a3 a4 b1 b2', expected: 'a1 b1 a2 b2 a3 a4' },
    {
      name: 'a group with messages in flight waits for its turn',
      waiting: 'a1 a2 b1 b2 b3',
      inFlight: 'a8 a9',
      expected: 'b1 b2 a1 b3 a2',
    },
    {
      name: 'the one that has waited longest comes first among equals',
      waiting: 'b1 a1 c1',
      expected: 'b1 a1 c1',
    },
    {
      name: 'messages without a group are a group each',
      waiting: 'a1 a2 -1 -2',
      expected: 'a1 -1 -2 a2',
    },
    { name: 'nothing gives nothing', waiting: '', expected: '' },
  ])('$name', ({ waiting, inFlight = '', expected }) => {
    const order = new FairOrder().arrange(messages(waiting), messages(inFlight), 4);

    expect(ids(order)).toBe(expected);
  });

  it('remembers turns when messages are taken one by one and finished at once', () => {
    const order = new FairOrder();
    let waiting = messages('a1 a2 a3 b1 b2');
    const taken: QueuedMessage[] = [];

    while (waiting.length > 0) {
      const [next, ...rest] = order.arrange(waiting, [], 1);
      if (next) taken.push(next);
      waiting = rest;
    }

    expect(ids(taken)).toBe('a1 b1 a2 b2 a3');
  });
});
