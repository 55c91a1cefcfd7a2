import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { projectFiles, readProjectFile, ROOT } from '../support/source-tree.ts';

const documents = projectFiles('.md').filter((path) => !path.startsWith('events/'));
const { scripts } = JSON.parse(readProjectFile('package.json')) as {
  scripts: Record<string, string>;
};

interface Snippet {
  readonly document: string;
  readonly source: string | undefined;
  readonly code: string;
}

/** TypeScript fences, with the file or region named by the comment before them. */
function snippetsOf(document: string): Snippet[] {
  const fence = /(?:<!-- from (\S+) -->\s*)?^```ts\n([\s\S]*?)^```$/gm;
  return [...readProjectFile(document).matchAll(fence)].map(([, source, code = '']) => ({
    document,
    source,
    code,
  }));
}

/** A whole file, or what stands between `// #region name` and `// #endregion` in it. */
function sourceText(source: string): string {
  const [path = '', region] = source.split('#');
  const text = readProjectFile(path);
  if (region === undefined) return text;
  const lines = text.split('\n');
  const start = lines.findIndex((line) => line.trim() === `// #region ${region}`);
  const end = lines.findIndex((line, at) => at > start && line.trim() === '// #endregion');
  if (start < 0 || end < 0) throw new Error(`${path} has no region ${region}`);
  return withoutIndent(lines.slice(start + 1, end));
}

function withoutIndent(lines: readonly string[]): string {
  const indents = lines.filter((line) => line.trim() !== '').map((line) => line.search(/\S/));
  return `${lines.map((line) => line.slice(Math.min(...indents))).join('\n')}\n`;
}

function headingsOf(path: string): string[] {
  return [...readProjectFile(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  );
}

/** What is wrong with a relative link, if anything. */
function brokenLink(document: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#');
  const file = path === '' ? document : join(dirname(document), path);
  if (!existsSync(join(ROOT, file))) return `${document}: there is no ${file}`;
  if (anchor === undefined || !file.endsWith('.md') || headingsOf(file).includes(anchor)) return;
  return `${document}: ${file} has no heading #${anchor}`;
}

describe('documents', () => {
  it('take their TypeScript from files that are compiled', () => {
    const snippets = documents.flatMap(snippetsOf);

    expect(snippets.filter(({ source }) => source === undefined)).toEqual([]);
    for (const { source = '', code } of snippets) expect(code).toBe(sourceText(source));
  });

  it('link to files and headings that exist', () => {
    const broken = documents.flatMap((document) =>
      [...readProjectFile(document).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].flatMap(
        ([, target = '']) => brokenLink(document, target) ?? [],
      ),
    );

    expect(broken).toEqual([]);
  });

  it('name only npm scripts that exist', () => {
    const missing = documents.flatMap((document) =>
      [...readProjectFile(document).matchAll(/\bnpm run ([a-z][a-z:-]*)/g)]
        .map(([, script = '']) => script)
        .filter((script) => !(script in scripts))
        .map((script) => `${document}: npm run ${script}`),
    );

    expect(missing).toEqual([]);
  });

  it('name only files of the project that exist', () => {
    const path =
      /`((?:src|lib|lambdas|local|agents|test|demo|docs|cli|bin|scripts)\/[\w./-]+?)(?:\/)?`/g;
    const missing = documents.flatMap((document) =>
      [...readProjectFile(document).matchAll(path)]
        .map(([, name = '']) => name)
        .filter((name) => !existsSync(join(ROOT, name)))
        .map((name) => `${document}: ${name}`),
    );

    expect(missing).toEqual([]);
  });

  it('number the decision records without a gap, each with its parts', () => {
    const records = documents.filter((path) => path.startsWith('docs/adr/')).toSorted();
    const numbers = records.map((path) => Number(/\/(\d{4})-/.exec(path)?.[1]));

    expect(numbers).toEqual(records.map((_, index) => index + 1));
    for (const record of records) {
      const headings = headingsOf(record);
      expect(readProjectFile(record)).toMatch(/^Status: (?:accepted|superseded by \d+)$/m);
      expect(headings.slice(1)).toEqual([
        'context',
        'decision',
        'consequences',
        'rejected-alternatives',
      ]);
    }
  });
});
