import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** What the synthesized app is made from. Tests and recorded histories are not part of it. */
const SOURCES = ['bin', 'lib', 'lambdas', 'src', 'agents', 'cdk.json', 'package-lock.json'];
const NOT_A_SOURCE = /\.(test\.ts|history\.json|md)$/;

/** Changes whenever the app would be synthesized differently. `context`: `name=value` each. */
export async function sourceDigest(root: string, context: readonly string[]): Promise<string> {
  const paths = (await Promise.all(SOURCES.map((source) => filesUnder(root, source))))
    .flat()
    .sort();
  const hash = createHash('sha256').update(JSON.stringify(context));
  for (const path of paths.filter((candidate) => !NOT_A_SOURCE.test(candidate))) {
    hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  }
  for (const pair of context) {
    // A value that names a file, such as that of `agentsEntry`, stands for what is in it.
    const file = join(root, pair.slice(pair.indexOf('=') + 1));
    if (file.endsWith('.ts') && existsSync(file)) hash.update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

async function filesUnder(root: string, source: string): Promise<string[]> {
  if (source.includes('.')) return [source];
  const entries = await readdir(join(root, source), { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(root.length));
}
