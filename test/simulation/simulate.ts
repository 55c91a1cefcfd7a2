import { parseArgs } from 'node:util';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { runSeed } from './run-seed.ts';

/** `npm run simulate -- --seeds N --from S`: runs seeds S to S + N - 1; with `--seed S` one seed, its interleaving printed. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '1000' },
      from: { type: 'string', default: '1' },
      seed: { type: 'string' },
      keepGoing: { type: 'boolean', default: false },
    },
  });
  Error.stackTraceLimit = 0;
  if (values.seed !== undefined) return show(Number(values.seed));
  const from = Number(values.from);
  const count = Number(values.seeds);
  const startedAt = performance.now();
  let events = 0;
  let jobs = 0;
  const failing: number[] = [];
  for (let seed = from; seed < from + count; seed++) {
    const outcome = await runSeed(seed);
    events += outcome.events;
    jobs += outcome.jobs;
    if (outcome.violation !== undefined) {
      failing.push(seed);
      const { invariant, message } = outcome.violation;
      console.log(`seed ${seed}: ${invariant} ${message}`);
    }
    if (seed % 50 === 0) await nextTurn();
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  console.log(
    `${count} schedules (${jobs} jobs, ${events} events) in ${seconds.toFixed(1)} s: ${Math.round(count / seconds)} per second; ` +
      (failing.length === 0 ? 'all invariants hold' : `${failing.length} fail`),
  );
  if (failing[0] === undefined) return;
  process.exitCode = 1;
  if (!values.keepGoing) await show(failing[0]);
}

async function show(seed: number): Promise<void> {
  const outcome = await runSeed(seed, (line) => {
    console.log(line);
  });
  const { violation } = outcome;
  console.log(
    violation === undefined ? 'all invariants hold' : `${violation.invariant} ${violation.message}`,
  );
  console.log(`again: npm run simulate -- --seed ${seed}`);
}

await main();
