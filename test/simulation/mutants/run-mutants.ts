import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { parseArgs, promisify } from 'node:util';
import { format } from 'prettier';
import type { Catch } from './hunt.ts';
import { type Mutant, MUTANTS } from './mutants.ts';

const HUNT = new URL('hunt.ts', import.meta.url).pathname;
const DOCS = new URL('../../../docs/simulation.md', import.meta.url);
const SEEDS = '5000';
/** A mutant that makes the world spin is caught, too. */
const PATIENCE_MS = 900_000;

interface Hunted extends Catch {
  readonly mutant: Mutant;
}

/** `npm run simulate:mutants`, with `-- --write` also into the docs, with `-- --only text` some of them. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      write: { type: 'boolean', default: false },
      only: { type: 'string', default: '' },
      seeds: { type: 'string', default: SEEDS },
    },
  });
  const mutants = MUTANTS.filter(({ name }) => name.includes(values.only));
  const hunted: Hunted[] = [];
  const queue = [...mutants];
  const lane = async (): Promise<void> => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const found = await hunt(mutant, values.seeds);
      hunted.push(found);
      console.log(lineOf(found));
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, lane));
  const escaped = hunted.filter(
    ({ invariant, mutant }) => invariant === undefined && mutant.harmless === undefined,
  );
  const caught = hunted.filter(({ invariant }) => invariant !== undefined);
  console.log(`${caught.length} of ${hunted.length} mutants caught, ${escaped.length} escaped`);
  if (escaped.length > 0) process.exitCode = 1;
  if (values.write)
    await write(mutants.flatMap((mutant) => hunted.filter((found) => found.mutant === mutant)));
}

async function hunt(mutant: Mutant, seeds: string): Promise<Hunted> {
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [HUNT, mutant.name, seeds], {
      timeout: PATIENCE_MS,
    });
    return { mutant, ...(JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Catch) };
  } catch (error) {
    const { killed, stderr } = error as { killed?: boolean; stderr?: string };
    if (killed === true)
      return { mutant, seeds: Number(seeds), invariant: 'I1', message: 'the world spins' };
    // Loud, but no reason to leave the others untried.
    console.error(`BROKEN ${mutant.name}: ${stderr ?? String(error)}`);
    process.exitCode = 1;
    return { mutant, seeds: 0 };
  }
}

function lineOf({ mutant, seeds, invariant, message }: Hunted): string {
  if (invariant !== undefined)
    return `${mutant.name}: ${invariant} after ${seeds} seeds (${message ?? ''})`;
  return `${mutant.name}: ${mutant.harmless ?? `ESCAPED ${seeds} seeds`}`;
}

const BEGIN = '<!-- mutants: written by npm run simulate:mutants -- --write -->';
const END = '<!-- end of mutants -->';

async function write(hunted: readonly Hunted[]): Promise<void> {
  const rows = hunted.map(({ mutant, seeds, invariant }) =>
    invariant === undefined
      ? `| ${mutant.name} | ${mutant.harmless === undefined ? 'escaped' : `none: ${mutant.harmless}`} | ${seeds} |`
      : `| ${mutant.name} | ${invariant} | ${seeds} |`,
  );
  const table = [
    '| deliberate fault | invariant that breaks | seeds until then |',
    '|---|---|---|',
    ...rows,
  ].join('\n');
  const text = await readFile(DOCS, 'utf8');
  const [before, rest] = text.split(BEGIN);
  const after = rest?.split(END)[1];
  if (before === undefined || after === undefined)
    throw new Error('docs/simulation.md has lost its marks');
  const page = `${before}${BEGIN}\n\n${table}\n\n${END}${after}`;
  await writeFile(DOCS, await format(page, { parser: 'markdown' }));
}

await main();
