import { describe, expect, it } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { applied } from './mutants/apply-mutant.ts';
import { MUTANTS } from './mutants/mutants.ts';
import { runSeed } from './run-seed.ts';

/** More with `npm run simulate -- --seeds N --from S`. */
const SEEDS = 500;
const BLOCK = 50;

describe('the engine in a world that fails', () => {
  it.each(Array.from({ length: SEEDS / BLOCK }, (_, block) => ({ from: 1 + block * BLOCK })))(
    'keeps every invariant in the 50 schedules from seed $from',
    async ({ from }) => {
      const broken: string[] = [];
      for (let seed = from; seed < from + BLOCK; seed++) {
        const { violation } = await runSeed(seed);
        if (violation !== undefined)
          broken.push(`seed ${seed}: ${violation.invariant} ${violation.message}`);
      }

      expect(broken).toEqual([]);
    },
    60_000,
  );

  it('runs one seed the same way each time', async () => {
    const lines = async (): Promise<string[]> => {
      const all: string[] = [];
      await runSeed(7, (line) => all.push(line));
      return all;
    };

    expect(await lines()).toEqual(await lines());
  });
});

it('every deliberate fault finds the code that it changes', () => {
  const edits = MUTANTS.flatMap((mutant) => mutant.edits);
  expect(edits.length).toBeGreaterThan(90);
  for (const edit of edits) {
    const source = readFileSync(edit.file, 'utf8');
    expect(applied(source, edit)).not.toBe(source);
  }
});
