import { describe, expect, it } from '@jest/globals';
import { build, type Metafile } from 'esbuild';
import { ROOT } from '../../support/source-tree.ts';

describe('the command line', () => {
  it('loads no AWS SDK for what talks to the API, and nothing for its usage', async () => {
    const { metafile } = await build({
      absWorkingDir: ROOT,
      entryPoints: ['cli/longhaul.ts', 'cli/api/*.ts'],
      bundle: true,
      write: false,
      metafile: true,
      platform: 'node',
      format: 'esm',
      splitting: true,
      outdir: 'out',
      logLevel: 'silent',
    });

    const usage = loadedBy(metafile, ['cli/longhaul.ts']);
    const commands = Object.keys(metafile.inputs).filter((path) => path.startsWith('cli/api/'));
    const all = loadedBy(metafile, [...commands, 'cli/longhaul.ts']);

    expect(usage.filter((path) => path.startsWith('cli/api/')).toSorted()).toEqual([
      'cli/api/commands.ts',
      'cli/api/printable.ts',
    ]);
    expect(packagesOf(all)).toEqual(['eventsource-parser']);
    expect(all.filter((path) => path.startsWith('src/adapters/'))).toEqual([]);
  });
});

/** Files that are read when these are imported; what they import on demand is not. */
function loadedBy({ inputs }: Metafile, files: readonly string[]): string[] {
  const seen = new Set<string>();
  const visit = (path: string): void => {
    if (seen.has(path)) return;
    seen.add(path);
    const imports = inputs[path]?.imports ?? [];
    for (const { path: next, kind } of imports) if (kind === 'import-statement') visit(next);
  };
  for (const file of files) visit(file);
  return [...seen];
}

function packagesOf(paths: readonly string[]): string[] {
  const names = paths.flatMap((path) => /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
  return [...new Set(names)];
}
