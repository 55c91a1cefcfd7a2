import { describe, expect, it } from '@jest/globals';
import { testAgent } from '../src/agent/testing/index.ts';
import { describeHistory } from '../test/support/golden-history.ts';
import { refundApproval, refundApprovalWith } from './refund-approval.ts';
import type { IssueRefund } from './refund-approval/issue-refund.ts';

const REQUEST = {
  orderId: 'A-1042',
  customer: 'Ada Lovelace',
  amountCents: 12_905,
  currency: 'EUR',
  reason: 'the second of two cups arrived broken',
};
const YES = { approved: true, by: 'grace' };

/** A payment provider that remembers keys, as they do: what was paid, by key, and how often it was asked. */
function provider() {
  const paid = new Map<string, number>();
  let calls = 0;
  const issueRefund: IssueRefund = ({ amountCents }, { idempotencyKey }) => {
    calls++;
    paid.set(idempotencyKey, amountCents);
    return Promise.resolve({ refundId: `r-${paid.size}` });
  };
  return { issueRefund, paid, calls: () => calls };
}

describe('refund-approval', () => {
  describeHistory(
    refundApproval,
    async (test: ReturnType<typeof testAgent>) => {
      const job = await test.submit(REQUEST);
      await job.run();
      await job.signal('decision', YES);
      return job;
    },
    new URL('refund-approval.history.json', import.meta.url),
  );

  // #region waits
  it('waits for a decision, and pays when it is approved', async () => {
    const job = await testAgent(refundApproval).submit(REQUEST);
    expect(await job.run()).toMatchObject({ status: 'waiting', waitingFor: 'signal' });

    await job.signal('decision', { approved: true, by: 'grace' });

    expect(await job.end()).toMatchObject({
      status: 'succeeded',
      result: { outcome: 'refunded', decidedBy: 'grace' },
    });
  });
  // #endregion

  it('tells the approver and the customer what it is about', async () => {
    const job = await testAgent(refundApproval).submit(REQUEST);
    await job.run();
    await job.signal('decision', YES);
    const { result } = await job.end();

    expect(result).toMatchObject({ refundId: expect.stringMatching(/^refund_\w{26}$/) as unknown });
    expect((result as { letter: string }).letter).toContain('129.05 EUR are on their way back');
    expect(await job.history()).toContain('log.written: a refund waits for a decision');
  });

  it('pays nothing when it is rejected, and gives the reason to the customer', async () => {
    const { issueRefund, calls } = provider();
    const job = await testAgent(refundApprovalWith(issueRefund)).submit(REQUEST);
    await job.signal('decision', { approved: false, by: 'grace', note: 'The cups were on sale.' });

    const { result } = await job.end();

    expect(result).toMatchObject({ outcome: 'rejected', decidedBy: 'grace' });
    expect((result as { letter: string }).letter).toContain('The cups were on sale.');
    expect(calls()).toBe(0);
  });

  // #region advance
  it('expires after three days without a decision, and not before', async () => {
    const test = testAgent(refundApproval);
    const job = await test.submit(REQUEST);

    await test.advance('2d');
    expect(await job.state()).toMatchObject({ status: 'waiting' });
    await test.advance('1d');
    expect(await job.state()).toMatchObject({ result: { outcome: 'expired' } });
  });
  // #endregion

  it('puts a decision aside that it cannot read, and waits on', async () => {
    const job = await testAgent(refundApproval).submit(REQUEST);
    await job.signal('decision', { approved: 'perhaps' });
    expect(await job.run()).toMatchObject({ status: 'waiting' });
    await job.signal('decision', YES);

    expect(await job.end()).toMatchObject({ result: { outcome: 'refunded' } });
  });

  it('pays once when it is approved twice', async () => {
    const { issueRefund, calls } = provider();
    const job = await testAgent(refundApprovalWith(issueRefund)).submit(REQUEST);
    await job.signal('decision', YES);
    await job.signal('decision', { approved: true, by: 'ines' });

    expect(await job.end()).toMatchObject({ result: { outcome: 'refunded' } });
    expect(calls()).toBe(1);
  });

  // #region crash
  it('pays once although its worker dies before the payment is recorded', async () => {
    const { issueRefund, paid, calls } = provider();
    const test = testAgent(refundApprovalWith(issueRefund));
    test.crashWorker('before', { step: 'refund' });
    const job = await test.submit(REQUEST);
    await job.signal('decision', YES);

    expect(await job.end()).toMatchObject({ status: 'succeeded' });
    // The step ran twice, under one key: the provider knew it.
    expect(calls()).toBe(2);
    expect([...paid.values()]).toEqual([REQUEST.amountCents]);
  });
  // #endregion

  // #region failure
  it('tries again when the provider is down', async () => {
    const test = testAgent(refundApproval);
    test.failStep('refund', { tries: [1, 2], error: new Error('503 from the provider') });
    const job = await test.submit(REQUEST);
    await job.signal('decision', YES);

    expect(await job.end()).toMatchObject({ result: { outcome: 'refunded' } });
    expect(await job.history()).toContain('step.failed refund, try 2: 503 from the provider');
  });
  // #endregion

  it('goes on at the payment when it is retried after the provider was down for long', async () => {
    const test = testAgent(refundApproval);
    test.failStep('refund', { tries: [1, 2, 3, 4] });
    const job = await test.submit(REQUEST);
    await job.signal('decision', YES);
    expect(await job.end()).toMatchObject({ status: 'failed', error: { step: 'refund' } });
    test.failStep('refund', { tries: [] });

    await job.retry();

    // The decision counts still: nobody is asked again.
    expect(await job.end()).toMatchObject({ result: { outcome: 'refunded', decidedBy: 'grace' } });
  });

  it('is cancelled while it waits, and pays nothing', async () => {
    const { issueRefund, calls } = provider();
    const job = await testAgent(refundApprovalWith(issueRefund)).submit(REQUEST);
    await job.run();
    await job.cancel();

    expect(await job.end()).toMatchObject({ status: 'cancelled' });
    expect(calls()).toBe(0);
  });
});
