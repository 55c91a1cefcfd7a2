import { describe, expect, it } from '@jest/globals';
import { splitPages } from './split-pages.ts';

const sentence = 'Every page holds a number of sentences like this one. ';

describe('splitPages', () => {
  it('keeps a short document on one page, with its sections', () => {
    const pages = splitPages('Intro.\n\n# One\ntext.\n\n# Two\n- item.\n');

    expect(pages).toEqual([
      {
        number: 1,
        sections: [
          { heading: '', continued: false, passages: [{ kind: 'paragraph', text: 'Intro.' }] },
          { heading: 'One', continued: false, passages: [{ kind: 'paragraph', text: 'text.' }] },
          { heading: 'Two', continued: false, passages: [{ kind: 'item', text: 'item.' }] },
        ],
      },
    ]);
  });

  it('breaks pages at about 6,000 characters and marks what continues', () => {
    const paragraph = sentence.repeat(20);
    const pages = splitPages(`# Only\n${`${paragraph}\n\n`.repeat(12)}`);

    expect(pages).toHaveLength(3);
    expect(pages.map(({ sections }) => sections.map((s) => [s.heading, s.continued]))).toEqual([
      [['Only', false]],
      [['Only', true]],
      [['Only', true]],
    ]);
  });

  it('cuts a document without a line break at the ends of sentences', () => {
    const pages = splitPages(sentence.repeat(1_000));
    const passages = pages.flatMap((p) => p.sections.flatMap((s) => s.passages));

    expect(pages.length).toBeGreaterThan(8);
    expect(passages.every(({ text }) => text.trim().endsWith('.'))).toBe(true);
  });

  it('loses no prose and does not depend on anything but the text', () => {
    const source = `# A\n${`${sentence.repeat(9)}\n\n`.repeat(40)}`;

    const passages = splitPages(source).flatMap((p) => p.sections.flatMap((s) => s.passages));

    expect(passages).toHaveLength(40);
    expect(splitPages(source)).toEqual(splitPages(source));
  });

  it.each([
    'x',
    '# ',
    ' #',
    '<!--',
    '<pre ',
    '<pre>',
    '> ',
    '- ',
    '| ',
    '`',
    '```\n',
    '[',
    '![',
    '*a',
    '\n',
    '. ',
    // Quadratic time would be minutes here, far over the time limit of a test.
  ])('takes 2 MB of %j in time proportional to its length', (piece) => {
    const text = `# T\n${piece.repeat(2_000_000 / piece.length)}`;

    const pages = splitPages(text);

    expect(pages.length).toBeGreaterThan(0);
  });
});
