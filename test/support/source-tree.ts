import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';

export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '../..');

const NOT_SOURCE = new Set(['node_modules', 'dist', 'cdk.out', 'coverage']);

/** Files of the project, as paths from its root with forward slashes. */
export function projectFiles(extension: string, folder = '.'): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    if (NOT_SOURCE.has(entry.name) || entry.name.startsWith('.')) return [];
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return projectFiles(extension, path);
    return entry.name.endsWith(extension) ? [path] : [];
  });
}

export function readProjectFile(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8');
}

/** What a file imports, types and dynamic imports included. */
export interface Imports {
  /** Paths from the root. */
  readonly files: string[];
  readonly packages: string[];
}

export function importsOf(path: string): Imports {
  const names = ts.preProcessFile(readProjectFile(path), true, true).importedFiles;
  const files: string[] = [];
  const packages: string[] = [];
  for (const { fileName } of names) {
    if (fileName === '#agents') files.push('agents/index.ts');
    if (fileName === '#schedules') files.push('lambdas/events/configured-schedules.ts');
    else if (fileName.startsWith('.')) files.push(posix.join(dirname(path), fileName));
    else packages.push(fileName);
  }
  return { files, packages };
}
