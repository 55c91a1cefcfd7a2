import * as z from 'zod';
import { type Agent, defineAgent, hasCode } from '../src/agent/index.ts';
import { type IssueRefund, pretendRefund } from './refund-approval/issue-refund.ts';
import { draftRefund, rejectionLetter } from './refund-approval/letters.ts';

const THREE_DAYS = 259_200;

const decisionSchema = z.object({
  approved: z.boolean(),
  by: z.string().min(1),
  note: z.string().optional(),
});

/** Drafts a refund, waits for a human to decide (`decision`), and pays once, whatever crashes meanwhile. */
export function refundApprovalWith(issueRefund: IssueRefund): Agent {
  return defineAgent({
    name: 'refund-approval',
    input: z.object({
      orderId: z.string().min(1),
      customer: z.string().min(1),
      amountCents: z.int().positive(),
      currency: z.string().length(3),
      reason: z.string().min(1),
      decideWithinSeconds: z.int().positive().max(2_592_000).default(THREE_DAYS),
    }),
    output: z.object({
      outcome: z.enum(['refunded', 'rejected', 'expired']),
      decidedBy: z.string().optional(),
      refundId: z.string().optional(),
      letter: z.string().optional(),
    }),
    async run(ctx, request) {
      const draft = await ctx.step('draft', () => draftRefund(request));
      ctx.progress({ message: 'waits for a decision' });
      ctx.log('a refund waits for a decision', { summary: draft.summary });
      // Nobody holds compute while people think: the job is woken by the signal, or when the time is over.
      const decision = await ctx
        .waitForSignal('decision', {
          schema: decisionSchema,
          timeout: `${request.decideWithinSeconds}s`,
        })
        .catch((error: unknown) => {
          if (hasCode(error, 'signal_timeout')) return undefined;
          throw error;
        });
      if (decision === undefined) return { outcome: 'expired' as const };
      const { approved, by: decidedBy, note } = decision;
      if (!approved) {
        return { outcome: 'rejected' as const, decidedBy, letter: rejectionLetter(request, note) };
      }
      const { refundId } = await ctx.step('refund', ({ idempotencyKey, signal }) =>
        issueRefund(request, { idempotencyKey, signal }),
      );
      return { outcome: 'refunded' as const, decidedBy, refundId, letter: draft.letter };
    },
  });
}

export const refundApproval = refundApprovalWith(pretendRefund);
