import { it } from '@jest/globals';
import type { Agent } from '../../src/agent/index.ts';
import { assertReplays, type Scenario, testAgent } from '../../src/agent/testing/index.ts';

/**
 * Tests that an agent still does what its `*.history.json` says, and that it ends the same wherever its worker dies.
 * `UPDATE_HISTORY=1` records the file anew.
 */
export function describeHistory(
  agent: Agent,
  inputOrScenario: unknown,
  file: URL,
  agents: readonly Agent[] = [],
): void {
  const scenario: Scenario =
    typeof inputOrScenario === 'function'
      ? (inputOrScenario as Scenario)
      : (test) => test.submit(inputOrScenario);

  it('takes the steps of its golden history to the same result', async () => {
    const job = await scenario(testAgent(agent, { agents }));
    await job.end();

    await job.assertHistory(file);
  });

  it('ends the same when it is always replayed, and when its worker dies at any page', async () => {
    await assertReplays(agent, scenario, { agents });
  });
}
