import { describe, expect, it } from '@jest/globals';
import { fairOrder } from '../../../local/emulators/fair-order.ts';
import type { QueuedMessage } from '../../../local/emulators/fauxqs-stores.ts';

/** `a1`: message 1 of group a; `-1`: one without a group. */
const message = (messageId: string): QueuedMessage => ({
  messageId,
  messageAttributes: messageId.startsWith('-')
    ? {}
    : { MessageGroupId: { StringValue: messageId.charAt(0) } },
});

const messages = (ids: string) => ids.split(' ').filter(Boolean).map(message);

describe('the order of a fair queue', () => {
  it.each([
    { name: 'one group is first in, first out', waiting: 'a1 a2 a3', expected: 'a1 a2 a3' },
    { name: 'groups take turns', waiting: 'a1 a2 a3 a4 b1 b2', expected: 'a1 b1 a2 b2' },
    {
      name: 'a group with messages in flight waits for its turn',
      waiting: 'a1 a2 b1 b2 b3',
      inFlight: 'a8 a9',
      expected: 'b1 b2 a1 b3',
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
    const order = fairOrder(messages(waiting), messages(inFlight), 4);

    expect(
      order
        .slice(0, 4)
        .map(({ messageId }) => messageId)
        .join(' '),
    ).toBe(expected);
    expect(order).toHaveLength(messages(waiting).length);
  });
});
