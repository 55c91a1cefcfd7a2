import { describe, expect, it } from '@jest/globals';
import { plainText } from './plain-text.ts';

describe('plainText', () => {
  it.each([
    {
      name: 'links',
      markdown: 'See [the docs](https://a.b/c_(d)) and [more][1].',
      text: 'See the docs and more.',
    },
    { name: 'badges', markdown: '[![ci](https://x/y.svg)](https://x) Text.', text: 'Text.' },
    {
      name: 'emphasis',
      markdown: '**Bold**, *thin* and _both_ of snake_case_name.',
      text: 'Bold, thin and both of snake_case_name.',
    },
    {
      name: 'HTML elements, but not other angle brackets',
      markdown: 'A<br/> <b>b</b> of <key>.',
      text: 'A b of <key>.',
    },
    { name: 'entities and escapes', markdown: 'A &amp; B&nbsp;\\*c&#33;', text: 'A & B *c!' },
    {
      name: 'nothing within inline code',
      markdown: 'Run `a*b*[c](d) <b>` now.',
      text: 'Run `a*b*[c](d) <b>` now.',
    },
    {
      name: 'the brackets of a shortcut reference to code',
      markdown: 'The [`core`] module.',
      text: 'The `core` module.',
    },
  ])('strips $name', ({ markdown, text }) => {
    expect(plainText(markdown)).toBe(text);
  });
});
