import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from '@jest/globals';
import type { Agent } from '../../src/agent/index.ts';
import type { JournalEntry, JournalPage } from '../../src/core/job/journal.ts';
import { EngineWorld } from './engine-world.ts';

/** What an agent did with an input when its history was recorded: the contract of its step ids. */
interface GoldenHistory {
  readonly steps: readonly string[];
  readonly result: unknown;
}

/**
 * Tests that an agent still does what its `*.history.json` says: the same steps, the same result, and the same from
 * whatever page of the journal it goes on after a crash. `UPDATE_HISTORY=1` records the file anew.
 */
export function describeHistory(agent: Agent, input: unknown, file: URL): void {
  it('takes the steps of its golden history to the same result', async () => {
    const { steps, result } = await record(agent, input);

    const path = fileURLToPath(file);
    if (process.env['UPDATE_HISTORY'] !== undefined) {
      writeFileSync(path, `${JSON.stringify({ steps, result }, null, 2)}\n`);
    }
    expect(existsSync(path)).toBe(true);
    const golden = JSON.parse(readFileSync(path, 'utf8')) as GoldenHistory;
    expect({ steps: steps.toSorted(), result }).toEqual({
      steps: golden.steps.toSorted(),
      result: golden.result,
    });
  });

  it('goes on from every page of its journal to the same result, repeating no step', async () => {
    const whole = await record(agent, input);

    for (let kept = 0; kept <= whole.pages.length; kept++) {
      const resumed = await record(agent, input, whole.pages.slice(0, kept));
      expect(resumed.result).toEqual(whole.result);
      expect(resumed.steps.toSorted()).toEqual(whole.steps.toSorted());
    }
  });
}

/** Runs the agent on the engine, behind `pages` of an attempt before if there are any. */
async function record(agent: Agent, input: unknown, pages: readonly JournalPage[] = []) {
  const world = new EngineWorld([agent]);
  const { jobs } = world.deps;
  const jobId = await world.submit(agent.name, input);
  for (const page of pages) await jobs.appendPage({ ...page, jobId });
  if (pages.length > 0) {
    const condition = { attribute: 'status', is: '=', value: 'queued' } as const;
    await jobs.updateJob(jobId, { condition, add: { epoch: 1 } });
  }
  await world.invoke(jobId);
  await world.drive(jobId);
  return {
    result: await world.result(jobId),
    steps: (await world.entries(jobId)).flatMap(signature),
    pages: (await jobs.loadHistory(jobId)).pages,
  };
}

/** Kind and id; what depends on time or chance is left out. */
function signature(entry: JournalEntry): string[] {
  return 'stepId' in entry ? [`${entry.type} ${entry.stepId}`] : [];
}
