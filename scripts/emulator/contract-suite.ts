import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runProgram } from './run-program.ts';

const LIMIT_SECONDS = 900;

interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly assertionResults: readonly {
      readonly status: string;
      readonly ancestorTitles: readonly string[];
    }[];
  }[];
}

/**
 * Runs the black-box suite against a deployed API and prints its totals, with the title of each group that was skipped.
 * @throws Error when a test failed.
 */
export async function runContractSuite(
  target: { readonly url: string; readonly keys: object; readonly certificate: string },
  folder: string,
): Promise<void> {
  const file = join(folder, 'results.json');
  const env = {
    ...process.env,
    TARGET: target.url,
    LONGHAUL_KEYS: JSON.stringify(target.keys),
    // Presigned URLs lead to the emulator itself.
    NODE_EXTRA_CA_CERTS: target.certificate,
  };
  try {
    await runProgram(['npm', 'test', '--', 'test/e2e', '--json', `--outputFile=${file}`], {
      env,
      limitSeconds: LIMIT_SECONDS,
    });
  } finally {
    await printTotals(file);
  }
}

async function printTotals(file: string): Promise<void> {
  const text = await readFile(file, 'utf8').catch(() => undefined);
  if (text === undefined) return;
  const results = JSON.parse(text) as JestResults;
  const { numPassedTests, numFailedTests, numPendingTests } = results;
  for (const [title, count] of skippedGroups(results)) console.log(`  skipped ${count}: ${title}`);
  console.log(
    `  tests: ${numPassedTests} passed, ${numFailedTests} failed, ${numPendingTests} skipped`,
  );
}

function skippedGroups({ testResults }: JestResults): Map<string, number> {
  const groups = new Map<string, number>();
  for (const { status, ancestorTitles } of testResults.flatMap((file) => file.assertionResults)) {
    if (status !== 'pending') continue;
    const title = ancestorTitles.join(' › ');
    groups.set(title, (groups.get(title) ?? 0) + 1);
  }
  return groups;
}
