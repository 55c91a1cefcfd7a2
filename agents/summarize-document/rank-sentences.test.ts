import { describe, expect, it } from '@jest/globals';
import { chooseDistinct, OVERLAP } from './choose-distinct.ts';
import { rankSentences } from './rank-sentences.ts';
import { words } from './words.ts';

describe('rankSentences', () => {
  it('ranks the sentence highest that shares most with the others', () => {
    const sentences = [
      'The lease belongs to the worker.',
      'The worker renews the lease of its jobs by a heartbeat.',
      'A heartbeat comes every twenty seconds.',
      'Bananas are yellow.',
    ];

    const scores = rankSentences(sentences.map(words));

    expect(scores.indexOf(1)).toBe(1);
    expect(Math.min(...scores)).toBe(scores[3]);
  });

  it.each([
    { name: 'no sentence', sentences: [], scores: [] },
    { name: 'one sentence', sentences: ['Only one.'], scores: [1] },
    { name: 'sentences without a word', sentences: ['.', '!'], scores: [1, 1] },
  ])('takes $name', ({ sentences, scores }) => {
    expect(rankSentences(sentences.map(words))).toEqual(scores);
  });
});

describe('chooseDistinct', () => {
  it('takes the best first and leaves out what says nearly the same', () => {
    const sentences = [
      { text: 'A job runs in steps.', score: 0.5 },
      { text: 'Every job runs in steps.', score: 0.9 },
      { text: 'Nothing is lost in a crash.', score: 0.1 },
    ];

    const chosen = chooseDistinct([], sentences, 3, OVERLAP.distinct);

    expect(chosen.map(({ score }) => score)).toEqual([0.9, 0.1]);
  });
});
