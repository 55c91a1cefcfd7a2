import { describe, expect, it } from '@jest/globals';
import { splitBlocks } from './split-blocks.ts';

const kindsAndTexts = (source: string) => splitBlocks(source).map(({ kind, text }) => [kind, text]);

describe('splitBlocks', () => {
  it.each([
    {
      name: 'joins the lines of a paragraph',
      source: 'One line\ngoes on.\n\nAnother.',
      blocks: [
        ['paragraph', 'One line goes on.'],
        ['paragraph', 'Another.'],
      ],
    },
    {
      name: 'knows both kinds of headings',
      source: '# First #\ntext.\n\nSecond\n------\nmore.',
      blocks: [
        ['heading', 'First'],
        ['paragraph', 'text.'],
        ['heading', 'Second'],
        ['paragraph', 'more.'],
      ],
    },
    {
      name: 'drops fenced code, also with other fences and headings in it',
      source: 'Before.\n~~~md\n# no\n```js\n~~~\nAfter.\n```ts\nlet a;\n```',
      blocks: [
        ['paragraph', 'Before.'],
        ['paragraph', 'After.'],
      ],
    },
    {
      name: 'drops indented code in markdown',
      source: '# T\n\nBefore.\n\n    code();\n\nAfter.',
      blocks: [
        ['heading', 'T'],
        ['paragraph', 'Before.'],
        ['paragraph', 'After.'],
      ],
    },
    {
      name: 'drops tables with and without outer bars',
      source: '# T\n| a | b |\n|---|---|\n| 1 | 2 |\n\na | b\n--|--\n1 | 2\n\nAfter.',
      blocks: [
        ['heading', 'T'],
        ['paragraph', 'After.'],
      ],
    },
    {
      name: 'keeps list items apart, with their continuation lines',
      source: '# T\n- one\n  goes on\n- two\n\n  and on\n3. three',
      blocks: [
        ['heading', 'T'],
        ['item', 'one goes on'],
        ['item', 'two'],
        ['item', 'and on'],
        ['item', 'three'],
      ],
    },
    {
      name: 'drops front matter, comments, alerts, definitions and HTML that holds no prose',
      source:
        '---\ntitle: x\n---\n# T\n<!-- hidden\ntext -->\n> [!NOTE]\n> Quoted.\n\n[x]: https://example.com\n<pre>\ncode\n</pre>\nAfter.',
      blocks: [
        ['heading', 'T'],
        ['paragraph', 'Quoted.'],
        ['paragraph', 'After.'],
      ],
    },
    {
      name: 'takes short lone lines of plain text for headings, and indented text for text',
      source: 'Chapter One\n\n    It was a dark night.\n    The wind blew.\n',
      blocks: [
        ['heading', 'Chapter One'],
        ['paragraph', 'It was a dark night. The wind blew.'],
      ],
    },
  ])('$name', ({ source, blocks }) => {
    expect(kindsAndTexts(source)).toEqual(blocks);
  });

  it('counts what was dropped as size of the block behind it', () => {
    const source = 'Before.\n\n```\nlong code\n```\n\nAfter.\n';

    const sizes = splitBlocks(source).map(({ sourceChars }) => sourceChars);

    expect(sizes[1]).toBeGreaterThan('long code'.length);
  });
});
