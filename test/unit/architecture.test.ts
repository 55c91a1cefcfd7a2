import { basename } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { importsOf, projectFiles, readProjectFile } from '../support/source-tree.ts';

interface Row {
  readonly folder: RegExp;
  /** Files outside the folder that it may import. */
  readonly files: RegExp;
  readonly packages: RegExp;
  readonly rule: string;
}

const NONE = /^$/;
const LIBRARIES = /^(?!aws-cdk-lib|constructs$|cdk-nag$)/;

/** The import table of CONTRIBUTING.md. A file falls under the first row whose folder holds it. */
const TABLE: readonly Row[] = [
  {
    folder: /^src\/core\//,
    files: /^src\/(?:agent\/(?!testing\/)|recurrence\/|errors\.ts$)/,
    packages: /^@standard-schema\/spec$/,
    rule: 'the core imports itself, src/agent, src/recurrence and src/errors.ts',
  },
  {
    // It runs agents on the engine itself, so that what passes here is what happens when deployed. Nothing deployed imports it.
    folder: /^src\/agent\/testing\//,
    files: /^src\/(?:agent\/|core\/|adapters\/(?:memory|system)\/|errors\.ts$)/,
    packages: /^node:/,
    rule: 'the test kit imports the core, src/agent and the adapters that need no service',
  },
  {
    folder: /^src\/agent\/eslint\//,
    files: NONE,
    packages: /^(?:eslint|estree)$/,
    rule: 'the lint rule imports types of ESLint',
  },
  {
    folder: /^src\/(?:agent|settings|protocol)\//,
    files: /^src\/errors\.ts$/,
    packages: /^(?:@standard-schema\/spec|zod)$/,
    rule: 'a leaf imports its own folder, src/errors.ts and zod',
  },
  {
    folder: /^src\/(?:sizing|recurrence)\//,
    files: NONE,
    packages: NONE,
    rule: 'sizing and recurrence are arithmetic and import nothing',
  },
  {
    // Names of tables, indexes and metrics are shared with the infrastructure through src/settings.
    folder: /^src\/adapters\/[^/]+\//,
    files: /^src\/(?:(?:core|settings|agent)\/|errors\.ts$)/,
    packages: /^(?:node:|@aws-sdk\/|@aws-lambda-powertools\/|aws-lambda$|jose$|ipaddr\.js$)/,
    rule: 'an adapter imports the core, the leaves and its own SDK, and no other adapter',
  },
  {
    folder: /^src\/errors\.ts$/,
    files: NONE,
    packages: NONE,
    rule: 'src/errors.ts imports nothing',
  },
  {
    folder: /^agents\//,
    files: /^src\/agent\/index\.ts$/,
    packages: /^(?!node:|@aws-sdk\/|aws-cdk-lib)/,
    rule: 'agents import src/agent/index.ts and libraries',
  },
  {
    folder: /^lambdas\//,
    files: /^(?:src\/(?!agent\/testing\/)|agents\/index\.ts$)/,
    packages: LIBRARIES,
    rule: 'entry points import src, the agents and libraries, and no infrastructure',
  },
  {
    folder: /^(?:lib|bin)\//,
    files: /^(?:lib\/|src\/(?:(?:settings|protocol|sizing|recurrence)\/|errors\.ts$))/,
    packages: /^(?!@aws-sdk\/)/,
    rule: 'infrastructure imports src/settings, src/protocol, src/sizing and src/recurrence, and names handlers by path only',
  },
  {
    folder: /^local\//,
    files: NONE,
    packages: LIBRARIES,
    rule: 'the local cloud imports itself and libraries: it knows no more than AWS does',
  },
  {
    folder: /^client\//,
    files: /^src\/protocol\//,
    packages: /^eventsource-parser$/,
    rule: 'the client imports src/protocol and eventsource-parser',
  },
  {
    folder: /^cli\//,
    files:
      /^(?:client\/|src\/(?:(?:settings|protocol|sizing|adapters|core\/ports)\/|agent\/(?:duration|exact-integer)\.ts$|errors\.ts$))/,
    packages: LIBRARIES,
    rule: 'the command line imports the client, the leaves, the adapters and their ports',
  },
  {
    folder: /^demo\//,
    files: /^client\//,
    packages: /^node:/,
    rule: 'the demo imports the client at most: it shows what any program can do over HTTP',
  },
];

const files = projectFiles('.ts');
const sources = files.filter((path) => !path.endsWith('.test.ts'));

describe('architecture', () => {
  it('imports only what the import table allows', () => {
    const broken = sources.flatMap((path) => {
      const row = TABLE.find(({ folder }) => folder.test(path));
      return row === undefined ? [] : forbiddenImports(path, row);
    });

    expect(broken).toEqual([]);
  });

  it('has a row of the import table for every folder under src', () => {
    const without = sources
      .filter((path) => path.startsWith('src/'))
      .filter((path) => !TABLE.some(({ folder }) => folder.test(path)));

    expect(without).toEqual([]);
  });

  it('keeps clock, randomness and environment out of the core', () => {
    const impure =
      /\b(?:Date\.now|Math\.random|process\.env|new Date\(\)|setTimeout|setInterval)\b/;
    const broken = sources
      .filter((path) => path.startsWith('src/core/'))
      .filter((path) => impure.test(withoutComments(readProjectFile(path))));

    expect(broken).toEqual([]);
  });

  it('names files in kebab-case and after what they hold', () => {
    const vague = /(?:^|-)(?:utils?|helpers?|common|managers?|services?|misc)$/;
    const broken = files
      .map((path) => ({ path, name: basename(path).replace(/(?:\.(?:test|d))*\.ts$/, '') }))
      .filter(({ name }) => !/^[a-z0-9]+(?:[-.][a-z0-9]+)*$/.test(name) || vague.test(name))
      .map(({ path }) => path);

    expect(broken).toEqual([]);
  });

  it('keeps barrels to the surfaces that others import', () => {
    const barrels = sources.filter((path) => basename(path) === 'index.ts');
    const allowed =
      /^(?:src\/agent(?:\/testing|\/eslint)?|src\/protocol|client|lib|agents)\/index\.ts$/;

    expect(barrels.filter((path) => !allowed.test(path))).toEqual([]);
  });
});

function forbiddenImports(path: string, { folder, files: allowed, packages, rule }: Row): string[] {
  const own = folder.exec(path)?.[0] ?? '';
  const imports = importsOf(path);
  return [
    ...imports.files.filter((file) => !file.startsWith(own) && !allowed.test(file)),
    ...imports.packages.filter((name) => !packages.test(name)),
  ].map((target) => `${path} imports ${target}, but ${rule}`);
}

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, '');
}
