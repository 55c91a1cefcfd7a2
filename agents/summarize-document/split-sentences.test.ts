import { describe, expect, it } from '@jest/globals';
import { splitSentences } from './split-sentences.ts';

describe('splitSentences', () => {
  it.each([
    {
      name: 'splits at full stops, question and exclamation marks',
      sentences: ['It works.', 'Does it?', 'It does!'],
    },
    {
      name: 'goes on after abbreviations',
      sentences: ['Use a store, e.g. Redis, i.e. A cache.', 'Dr. Who vs. Mr. Smith agreed.'],
    },
    {
      name: 'goes on after initials and numbered references',
      sentences: ['J. R. Smith wrote it.', 'See No. 5 and Fig. 2 there.', 'The answer is no.'],
    },
    {
      name: 'ends at "etc." when a capital follows',
      sentences: ['Cats, dogs, etc.', 'They sleep.'],
    },
    {
      name: 'never splits within inline code',
      sentences: ['Call `a. B. c()` first.', '`Next` is another.'],
    },
    {
      name: 'keeps version numbers and file names whole',
      sentences: ['Node.js 24.1 reads config.json at start.', 'It is fast.'],
    },
  ])('$name', ({ sentences }) => {
    expect(splitSentences(sentences.join(' '))).toEqual(sentences);
  });
});
