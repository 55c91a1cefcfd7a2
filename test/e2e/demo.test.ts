import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { ApiClient } from '../support/api-client.ts';
import { curlExamples } from '../support/curl-examples.ts';
import { ExampleShell } from '../support/example-shell.ts';
import { ROOT } from '../support/source-tree.ts';
import { describeLocal, startLocalTarget } from '../support/target.ts';

const demo = (...args: string[]) =>
  promisify(execFile)(process.execPath, ['demo/run.ts', ...args], { cwd: ROOT });

describeLocal('npm run demo', 'it brings its own local cloud', () => {
  it('carries a document through a worker crash', async () => {
    const { stdout } = await demo();

    expect(stdout).toMatch(/^ {2}202 Accepted/m);
    expect(stdout).toMatch(/KILLED: .*\n(?:.*\n)+? .*succeeded in attempt 2/);
    expect(stdout).toMatch(/Idempotent-Replayed: true/);
    expect(stdout).toMatch(/All as it must be/);
  }, 120_000);

  it('pays a refund once that a human approved, and nothing else', async () => {
    const { stdout } = await demo('refund-approval');

    expect(stdout).toMatch(/workers made 0 requests to AWS/);
    expect(stdout).toMatch(/paid as refund_/);
    expect(stdout).toMatch(/One decision was taken and one refund is recorded/);
    expect(stdout).toMatch(/All as it must be/);
  }, 120_000);

  it('joins 500 tickets from fifty sub-jobs', async () => {
    const { stdout } = await demo('ticket-report');

    expect(stdout).toMatch(/50 sub-jobs were made, once each/);
    expect(stdout).toMatch(/All as it must be/);
  }, 120_000);

  it('names the demos there are when asked for another', async () => {
    await expect(demo('nothing')).rejects.toMatchObject({
      code: 1,
      stdout: expect.stringContaining('summarize-document') as unknown,
    });
  });
});

describeLocal('curl examples', 'they are of the example agents', () => {
  it('of README and docs run as printed', async () => {
    const target = await startLocalTarget(['agentsEntry=agents/index.ts']);
    const input = JSON.stringify({ title: 'Rain', text: 'It rains. It pours. It stops.' });
    const reader = { apiUrl: target.apiUrl, key: target.keys.acme };
    const shell = await ExampleShell.open(reader, { 'input.json': input });
    const answers: { command: string; status: number; refused: boolean; output: string }[] = [];
    try {
      const { output: jq } = await shell.run('command -v jq');
      for (const { document, section, command } of curlExamples()) {
        if (jq === '' && /\bjq\b/.test(command)) continue;
        // No example agent leaves a dead letter; dead-letters.test.ts has what these ask for.
        if (command.includes('/dead-letters')) continue;
        // The shell has one key, and this route takes another; privileges.test.ts asks for it.
        if (command.includes('/stalled-jobs')) continue;
        const { status, output } = await shell.run(command);
        if (status === undefined) continue;
        answers.push({
          command: `${document}: ${command}`,
          status,
          refused: section === 'Refusals',
          output,
        });
        await settled(new ApiClient(target), shell.jobId);
      }
    } finally {
      await shell.close();
      await target.stop();
    }

    expect(answers.length).toBeGreaterThan(15);
    expect(answers.filter(({ status, refused }) => status >= 400 !== refused)).toEqual([]);
  }, 180_000);
});

/** A reader looks how a command went before typing the next one. */
async function settled(api: ApiClient, jobId: string): Promise<void> {
  for (let tries = 0; tries < 300; tries++) {
    const { status } = await api.job(jobId);
    if (status !== 'queued' && status !== 'running') return;
    await delay(100);
  }
}
