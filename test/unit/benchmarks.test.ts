import { expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { projectFiles, ROOT } from '../support/source-tree.ts';

it.each(projectFiles('.ts', 'bench'))('%s runs without jest', async (path) => {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [path],
    bundle: true,
    packages: 'external',
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    logLevel: 'silent',
  });

  const loaded = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.map((one) => one.path),
  );
  expect(loaded.filter((name) => /^@jest\/|^jest/.test(name))).toEqual([]);
});
