import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { ROOT } from '../support/source-tree.ts';
import { describeLocal } from '../support/target.ts';

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
