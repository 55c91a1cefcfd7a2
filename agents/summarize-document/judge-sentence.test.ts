import { describe, expect, it } from '@jest/globals';
import { isProse, standsAlone } from './judge-sentence.ts';

describe('isProse', () => {
  it.each([
    { text: 'The worker renews its lease every twenty seconds.', prose: true },
    { text: '`ctx.step` returns the recorded outcome.', prose: true },
    { text: 'Der Hafen von Hamburg liegt an der Elbe.', prose: true },
    { text: 'Getting started', prose: false },
    { text: 'To create a function:', prose: false },
    { text: 'and returns the outcome.', prose: false },
    { text: 'It holds a (half of a parenthesis.', prose: false },
    { text: '`a` = `b` + `c` * 2.', prose: false },
    { text: 'ALL OF IT IS SHOUTED OUT LOUD.', prose: false },
    { text: `A ${'very '.repeat(90)}long sentence.`, prose: false },
  ])('$text → $prose', ({ text, prose }) => {
    expect(isProse(text)).toBe(prose);
  });
});

describe('standsAlone', () => {
  const good = 'A queue message carries no state, so a lost one does no harm.';

  it.each([
    'However, a queue message carries no state at all in this case.',
    'As the following example shows, a queue message has no state.',
    'A tiny library for messages without any state of their own.',
    'Returns the message that has waited longest in the queue.',
    'Note: a queue message carries no state, so it can be lost.',
    'When it arrives, the worker looks up the job in the table.',
  ])('prefers a sentence that leans on nothing to: %s', (text) => {
    expect(standsAlone(text)).toBeLessThan(standsAlone(good) / 2);
  });

  it('lets the first sentence of a document say "this"', () => {
    const text = 'This library provides a durable queue for long jobs.';

    expect(standsAlone(text, true)).toBe(1);
    expect(standsAlone(text)).toBeLessThan(0.5);
  });
});
