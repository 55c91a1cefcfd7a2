import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import { sourceDigest } from '../../../local/source-digest.ts';

let root: string;

beforeEach(async () => {
  root = `${await mkdtemp(join(tmpdir(), 'longhaul-sources-'))}${sep}`;
  await Promise.all(
    ['bin', 'lib', 'lambdas', 'src/core', 'agents'].map((path) =>
      mkdir(join(root, path), { recursive: true }),
    ),
  );
  await Promise.all(
    ['cdk.json', 'package-lock.json', 'src/core/job.ts', 'lambdas/api.ts'].map((path) =>
      writeFile(join(root, path), `first ${path}`),
    ),
  );
});

afterEach(async () => {
  await rm(root, { recursive: true, force: true });
});

const digest = (...context: string[]) => sourceDigest(root, context);

describe('the digest of the sources', () => {
  it('stays while nothing changes', async () => {
    expect(await digest()).toBe(await digest());
    expect(await digest()).toMatch(/^[0-9a-f]{16}$/);
  });

  it.each([
    { name: 'a source is changed', path: 'src/core/job.ts' },
    { name: 'a source is added', path: 'agents/new.ts' },
    { name: 'the configuration is changed', path: 'cdk.json' },
    { name: 'a library is changed', path: 'package-lock.json' },
  ])('changes when $name', async ({ path }) => {
    const before = await digest();

    await writeFile(join(root, path), 'second');

    expect(await digest()).not.toBe(before);
  });

  it.each([
    'src/core/job.test.ts',
    'agents/agent.history.json',
    'src/core/ARCHITECTURE.md',
    'docs.md',
  ])('takes no notice of %s', async (path) => {
    const before = await digest();

    await writeFile(join(root, path), 'second');

    expect(await digest()).toBe(before);
  });

  it('changes with the context, and with a file the context names', async () => {
    await writeFile(join(root, 'mine.ts'), 'first');
    const before = await digest('agentsEntry=mine.ts');
    expect(before).not.toBe(await digest());

    await writeFile(join(root, 'mine.ts'), 'second');

    expect(await digest('agentsEntry=mine.ts')).not.toBe(before);
  });
});
