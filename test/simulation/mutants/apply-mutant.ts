import { registerHooks } from 'node:module';
import type { Edit, Mutant } from './mutants.ts';

/**
 * Lets the modules that are imported from now on have the mutant's faults; the files stay as they are.
 * @throws when a text is not found in its file, or more than once: then the mutant tests nothing
 */
export function applyMutant(mutant: Mutant): { assertApplied: () => void } {
  const open = new Set(mutant.edits);
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      const edits = mutant.edits.filter(({ file }) => url.endsWith(`/${file}`));
      if (edits.length === 0) return loaded;
      let source = Buffer.from(loaded.source as Uint8Array).toString('utf8');
      for (const edit of edits) {
        source = applied(source, edit);
        open.delete(edit);
      }
      return { ...loaded, source };
    },
  });
  return {
    assertApplied: () => {
      const [left] = open;
      if (left !== undefined) throw new Error(`${left.file} was never loaded`);
    },
  };
}

export function applied(
  source: string,
  { file, search, replace, everywhere = false }: Edit,
): string {
  const pattern = new RegExp(search.trim().split(/\s+/).map(escaped).join('\\s+'), 'g');
  const count = source.match(pattern)?.length ?? 0;
  if (count === 0 || (count > 1 && !everywhere))
    throw new Error(`${file} holds ${count} times: ${search}`);
  return source.replace(pattern, () => replace);
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
