import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What an agent did with an input when its history was recorded: the contract of its step ids. */
export interface GoldenHistory {
  readonly steps: readonly string[];
  readonly result: unknown;
}

/** The order of steps is left out: those of parallel branches may change places. */
export function assertGolden(file: URL, { steps, result }: GoldenHistory): void {
  const path = fileURLToPath(file);
  if (process.env['UPDATE_HISTORY'] !== undefined) {
    writeFileSync(path, `${JSON.stringify({ steps, result }, null, 2)}\n`);
  }
  assert(existsSync(path), `there is no ${path}: UPDATE_HISTORY=1 records it`);
  const golden = JSON.parse(readFileSync(path, 'utf8')) as Partial<GoldenHistory>;
  assert.deepEqual(
    { steps: steps.toSorted(), result },
    { steps: golden.steps?.toSorted(), result: golden.result },
  );
}
