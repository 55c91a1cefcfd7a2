import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { build } from 'esbuild';
import { readProjectFile, ROOT } from '../support/source-tree.ts';

jest.setTimeout(120_000);

const run = promisify(execFile);

/** The client as another program gets it: compiled, and imported by the name of the package. */
describe('the built client', () => {
  let folder: string;
  let client: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longhaul-client-'));
    const project = {
      extends: join(ROOT, 'tsconfig.build.json'),
      compilerOptions: { outDir: join(folder, 'dist'), rootDir: ROOT, declaration: false },
      include: [join(ROOT, 'client')],
    };
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify(project));
    await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    await run(process.execPath, [compiler, '-p', folder, ...roots]);
    client = join(folder, 'dist/client/index.js');
  });

  afterAll(() => rm(folder, { recursive: true, force: true }));

  it('lies where the package says', () => {
    const { exports } = JSON.parse(readProjectFile('package.json')) as {
      exports: Record<string, { default: string }>;
    };

    expect(join(folder, exports['./client']?.default ?? '')).toBe(client);
  });

  it('holds the parser of events and nothing else that is not its own: no Node, no AWS, no zod', async () => {
    const { metafile } = await build({
      entryPoints: [client],
      bundle: true,
      write: false,
      metafile: true,
      // Fails on any import of `node:…`.
      platform: 'browser',
      format: 'esm',
      absWorkingDir: folder,
      logLevel: 'silent',
    });

    const packages = Object.keys(metafile.inputs).flatMap(
      (input) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1] ?? [],
    );
    expect([...new Set(packages)]).toEqual(['eventsource-parser']);
  });

  it('is imported and makes a request with nothing but what Node 20 has', async () => {
    const program = `
      import { LonghaulClient } from ${JSON.stringify(client)};
      const sent = [];
      const fetch = async (url, init) => {
        sent.push(init.method + ' ' + url);
        return new Response('{"jobId":"job_1"}', { status: 202 });
      };
      const client = new LonghaulClient({ baseUrl: 'https://api.test/v1/', apiKey: 'lh_test', fetch });
      const { jobId } = await client.submit({ agent: 'greet', input: {} });
      console.log(JSON.stringify({ jobId, sent, node: process.versions.node.split('.')[0] }));
    `;
    await writeFile(join(folder, 'program.mjs'), program);

    const { stdout } = await run(await oldestNode(), [join(folder, 'program.mjs')]);

    expect(JSON.parse(stdout)).toEqual({
      jobId: 'job_1',
      sent: ['POST https://api.test/v1/jobs'],
      node: expect.any(String),
    });
  });
});

/** The Node outside of node_modules, which is 20 where the project is checked; else the one at hand. */
async function oldestNode(): Promise<string> {
  const folders = (process.env['PATH'] ?? '').split(':');
  for (const folder of folders.filter((path) => !path.includes('node_modules'))) {
    const path = join(folder, 'node');
    if (
      await run(path, ['--version']).then(
        () => true,
        () => false,
      )
    )
      return path;
  }
  return process.execPath;
}
