import { setImmediate as nextTurn } from 'node:timers/promises';
import { applyMutant } from './apply-mutant.ts';
import { MUTANTS } from './mutants.ts';

/** What a hunt says on its last line. */
export interface Catch {
  readonly seeds: number;
  readonly invariant?: string;
  readonly message?: string;
}

/** A process of its own: runs seeds with one mutant until an invariant breaks. Arguments: name, number of seeds. */
async function main([name, budget]: readonly string[]): Promise<void> {
  const mutant = MUTANTS.find((candidate) => candidate.name === name);
  if (mutant === undefined) throw new Error(`there is no mutant ${JSON.stringify(name)}`);
  const { assertApplied } = applyMutant(mutant);
  const { runSeed } = await import('../run-seed.ts');
  assertApplied();
  Error.stackTraceLimit = 0;
  for (let seed = 1; seed <= Number(budget); seed++) {
    const { violation } = await runSeed(seed);
    if (violation !== undefined) {
      report({ seeds: seed, ...violation });
      return;
    }
    if (seed % 50 === 0) await nextTurn();
  }
  report({ seeds: Number(budget) });
}

function report(found: Catch): void {
  console.log(JSON.stringify(found));
}

await main(process.argv.slice(2));
