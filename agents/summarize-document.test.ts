import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { AgentContext, Progress } from '../src/agent/index.ts';
import { describeHistory } from '../test/support/golden-history.ts';
import { summarizeDocument } from './summarize-document.ts';
import { overlap, words } from './summarize-document/words.ts';

interface Output {
  readonly title: string;
  readonly summary: string[];
  readonly pages: number;
  readonly sections: number;
  readonly sentences: number;
}

/** Runs the agent without an engine: every step at once, once. */
async function run(text: string, title = 'A document') {
  const steps: string[] = [];
  const progress: Progress[] = [];
  const scope = (prefix: string): AgentContext => ({
    jobId: 'job',
    tenantId: 'acme',
    attempt: 1,
    hints: [],
    sleep: () => Promise.resolve(),
    spawn: () => Promise.reject(new Error('spawns nothing')),
    join: () => Promise.reject(new Error('joins nothing')),
    waitForSignal: () => Promise.reject(new Error('waits for nothing')),
    log: () => undefined,
    progress: (report) => void progress.push(report),
    scope: (id, fn) => Promise.resolve(fn(scope(`${prefix}${id}/`))),
    map: (id, items, _options, fn) =>
      Promise.all(items.map((item, i) => fn(item, scope(`${prefix}${id}[${i}]/`), i))),
    step: async (id, fn) => {
      steps.push(prefix + id);
      const signal = new AbortController().signal;
      const outcome = await fn({ attempt: 1, idempotencyKey: prefix + id, signal });
      return JSON.parse(JSON.stringify(outcome)) as typeof outcome;
    },
  });
  const output = (await summarizeDocument.run(scope(''), { title, text })) as Output;
  return { output, steps, progress };
}

const document = (path: string) =>
  readFileSync(new URL(`../node_modules/${path}`, import.meta.url), 'utf8');

/** Letters and digits only, so that a sentence is found in its source whatever markup stands between. */
const bare = (text: string) =>
  text
    .replace(/\](?:\([^)]*\)|\[[^\]]*\])/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .toLowerCase();

const DOCUMENTS = [
  'aws-cdk-lib/aws-lambda/README.md',
  'aws-cdk-lib/aws-ec2/README.md',
  'aws-cdk-lib/README.md',
  'ajv/README.md',
  'glob/README.md',
  'aws-cdk-lib/LICENSE',
];

describe('summarize-document', () => {
  // The licence, since its text never changes.
  describeHistory(
    summarizeDocument,
    {
      title: 'Apache License',
      text: readFileSync(new URL('../LICENSE', import.meta.url), 'utf8'),
    },
    new URL('summarize-document.history.json', import.meta.url),
  );

  it('runs one step per page and one to combine, and reports each page', async () => {
    const { output, steps, progress } = await run(document('aws-cdk-lib/aws-lambda/README.md'));

    expect(output.pages).toBeGreaterThan(15);
    expect(steps).toHaveLength(output.pages + 1);
    expect(new Set(steps).size).toBe(steps.length);
    expect(steps[0]).toBe('page[0]/summarize');
    expect(steps.at(-1)).toBe('combine');
    expect(progress.map(({ completed }) => completed)).toEqual(
      Array.from({ length: output.pages }, (_, index) => index + 1),
    );
    expect(progress.every(({ total }) => total === output.pages)).toBe(true);
  });

  it.each(DOCUMENTS)('sums up %s by whole sentences of it, in order, none twice', async (path) => {
    const source = bare(document(path));

    const { output } = await run(document(path));

    const places = output.summary.map((sentence) => source.indexOf(bare(sentence)));
    expect(output.summary.length).toBeGreaterThanOrEqual(5);
    expect(output.summary.length).toBeLessThanOrEqual(12);
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    for (const [index, sentence] of output.summary.entries()) {
      expect(sentence).toMatch(/^["`“(]?[A-Z0-9a-z].*[.!?]["”)]*$/);
      expect(sentence).not.toMatch(/```|\]\(|<\/|^[#|>*-]/);
      const others = output.summary.toSpliced(index, 1);
      expect(others.every((o) => overlap(words(o), words(sentence)) <= 0.8)).toBe(true);
    }
  });

  it.each(DOCUMENTS.slice(0, 4))('spreads the summary over all of %s', async (path) => {
    const source = bare(document(path));

    const { output } = await run(document(path));

    const places = output.summary.map((sentence) => source.indexOf(bare(sentence)) / source.length);
    const thirds = new Set(places.map((place) => Math.floor(place * 3)));
    expect(thirds).toEqual(new Set([0, 1, 2]));
  });

  it.each([
    {
      name: 'the sentences of a tiny document',
      text: 'Cats sleep all day. Dogs bark at night. Birds sing at dawn. Fish swim in the sea. Cows eat green grass.',
      count: 5,
    },
    {
      name: 'fewer where there are fewer',
      text: 'Only one sentence stands in this document.',
      count: 1,
    },
    {
      name: 'a sentence once that stands there often',
      text: 'The same sentence stands here again and again.\n\n'.repeat(30),
      count: 1,
    },
    { name: 'nothing of a document of code', text: '# Code\n```\nlet it = be;\n```\n', count: 0 },
    { name: 'nothing of white space', text: ' \n\n ', count: 0 },
    {
      name: 'items where nothing else is there',
      text: '# L\n- Cats sleep all day long.\n- Dogs bark in the night.\n- Birds sing at dawn.\n- Fish swim in the sea.\n- Cows eat green grass.',
      count: 5,
    },
  ])('gives $name', async ({ text, count }) => {
    const { output } = await run(text);

    expect(output.summary).toHaveLength(count);
  });

  it('gives the same output for the same input', async () => {
    const text = document('ajv/README.md');

    expect((await run(text)).output).toEqual((await run(text)).output);
  });

  it('keeps what a page offers far below what a journal page holds inline', async () => {
    const text = document('aws-cdk-lib/aws-lambda/README.md');
    const { output } = await run(text, 'x'.repeat(400));

    expect(JSON.stringify(output).length).toBeLessThan(8_192);
  });
});
