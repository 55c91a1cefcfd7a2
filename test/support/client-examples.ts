/** Programs of docs/client.md, compiled and linted with everything else. */
import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import {
  JobFailedError,
  type JobWebhook,
  LonghaulClient,
  LonghaulError,
  verifyWebhook,
  WebhookVerificationError,
} from 'longhaul/client';

// #region client
const client = new LonghaulClient({
  baseUrl: process.env.LONGHAUL_URL ?? 'http://127.0.0.1:4000/v1',
  apiKey: process.env.LONGHAUL_KEY ?? '',
});
// #endregion

export async function greet(): Promise<void> {
  // #region result
  const { jobId } = await client.submit({ agent: 'greet', input: { names: ['Ada', 'Grace'] } });
  const { greetings } = await client.result<{ greetings: string[] }>(jobId, { timeoutMs: 60_000 });
  console.log(greetings);
  // #endregion
}

export async function refund(order: { readonly orderId: string }): Promise<void> {
  // #region submit
  const job = await client.submit({
    agent: 'refund-approval',
    input: order,
    idempotencyKey: `refund-${order.orderId}`,
    tags: ['refund'],
  });
  if (job.replayed) console.log(`order ${order.orderId} had asked before: ${job.jobId}`);
  // #endregion
}

export async function follow(jobId: string): Promise<void> {
  // #region events
  for await (const event of client.events(jobId)) {
    if (event.type === 'progress.reported') console.log(`${event.completed} of ${event.total}`);
    if (event.type === 'step.failed') console.warn(`${event.step}: ${event.error.message}`);
  }
  // #endregion
}

export async function explain(jobId: string): Promise<void> {
  // #region errors
  try {
    await client.result(jobId, { timeoutMs: 60_000 });
  } catch (error) {
    if (error instanceof JobFailedError) console.error(error.code, error.job.error?.step);
    else if (error instanceof LonghaulError) console.error(error.code, error.requestId);
    else throw error;
  }
  // #endregion
}

export async function countFailures(): Promise<number> {
  let failures = 0;
  // #region list
  const yesterday = new Date(Date.now() - 86_400_000).toISOString();
  for await (const job of client.list({ status: 'failed', createdAfter: yesterday })) {
    console.log(job.jobId, job.agent);
    failures += 1;
  }
  // #endregion
  return failures;
}

// #region webhook
const receiver = createServer((request, response) => {
  const answer = (status: number) => response.writeHead(status).end();
  text(request)
    .then((body) =>
      verifyWebhook<JobWebhook>(process.env.WEBHOOK_SECRET ?? '', request.headers, body),
    )
    .then(({ id, payload }) => {
      // The same id may come again: do the work once per id.
      console.log(id, payload.type, payload.data.jobId);
      answer(204);
    })
    .catch((error: unknown) => {
      answer(error instanceof WebhookVerificationError ? 400 : 500);
    });
});
// #endregion
export { receiver };
