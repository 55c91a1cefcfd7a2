import assert from 'node:assert/strict';
import type { Agent } from '../define-agent.ts';
import type { CrashMoment } from './faults.ts';
import { type AgentTest, testAgent, type TestAgentOptions } from './test-agent.ts';
import type { TestJob } from './test-job.ts';

/** Submits a job and plays the world around it to its end. */
export type Scenario = (test: AgentTest) => Promise<TestJob>;

interface Played {
  readonly test: AgentTest;
  readonly status: string;
  readonly steps: readonly string[];
  readonly result: unknown;
}

/**
 * Plays a scenario again in always-replay mode, and with a crash of the worker before and after every page that it records:
 * each time the job must end the same, with the same steps succeeded.
 * @throws AssertionError naming the replay that ended differently.
 */
export async function assertReplays(
  agent: Agent,
  scenario: Scenario,
  options: Omit<TestAgentOptions, 'replay'> = {},
): Promise<void> {
  const whole = await play(testAgent(agent, options), scenario);
  // Each entry costs one invocation, when none shares a page; steps that were under way beside it may cost another.
  const maxInvocations = 20 + 4 * whole.test.entries;
  const always = await play(
    testAgent(agent, { maxInvocations, ...options, replay: 'always' }),
    scenario,
  );
  assertSame(always, whole, 'replayed after every page');
  for (let page = 1; page <= whole.test.pages; page++) {
    for (const when of ['before', 'after'] as const) {
      const crashed = await play(crashing(agent, options, { when, page }), scenario);
      assertSame(crashed, whole, `worker killed ${when} page ${page}`);
    }
  }
}

function crashing(
  agent: Agent,
  options: TestAgentOptions,
  { when, page }: { when: CrashMoment; page: number },
): AgentTest {
  const test = testAgent(agent, options);
  test.crashWorker(when, { page });
  return test;
}

async function play(test: AgentTest, scenario: Scenario): Promise<Played> {
  const job = await scenario(test);
  const { status, result } = await job.end();
  return { test, status, steps: await job.steps(), result };
}

function assertSame(played: Played, whole: Played, how: string): void {
  assert.deepEqual(comparable(played), comparable(whole), `the job ended differently: ${how}`);
}

/** The order of steps is left out: those of parallel branches may change places. */
function comparable({ status, steps, result }: Played): object {
  return { status, steps: steps.toSorted(), result };
}
