import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deliveriesSchema, type DeliveryRepresentation } from '../../src/protocol/delivery.ts';
import { webhookSchema } from '../../src/protocol/webhook.ts';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver.ts';

jest.setTimeout(240_000);

describeLocal('webhooks', 'receivers are on this machine', () => {
  let target: LocalTarget;
  let api: ApiClient;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    target = await startLocalTarget();
    api = new ApiClient(target);
    await api.run('echo', { value: 'warm' });
  });

  afterAll(async () => {
    await target.stop();
  });

  beforeEach(async () => {
    receiver = await WebhookReceiver.start();
  });

  afterEach(async () => {
    await receiver.stop();
  });

  const submit = async (agent: string, input: unknown, notify: object = { url: receiver.url }) =>
    jobOf(await api.post({ agent, input, notify }), 202).jobId;

  /** What a receiver does first: it throws for a webhook that is not genuine. */
  async function verified({ headers, body }: ReceivedWebhook) {
    const [secret = ''] = await target.webhookSecrets('acme');
    new Webhook(secret).verify(body, headers);
    return webhookSchema.strict().parse(JSON.parse(body));
  }

  async function deliveriesOf(jobId: string): Promise<DeliveryRepresentation[]> {
    const response = await api.send(`/jobs/${jobId}/deliveries`);
    expect(response.status).toBe(200);
    return deliveriesSchema.strict().parse(JSON.parse(response.text)).deliveries;
  }

  async function deliveryWhen(jobId: string, status: DeliveryRepresentation['status']) {
    for (const deadline = Date.now() + 60_000; ;) {
      const [delivery] = await deliveriesOf(jobId);
      if (delivery?.status === status) return delivery;
      if (Date.now() > deadline) throw new Error(`not ${status}: ${JSON.stringify(delivery)}`);
      await delay(100);
    }
  }

  it('tell of the end of a job, signed, with its result', async () => {
    const jobId = await submit('echo', { value: 'done' });
    const [webhook] = await receiver.atLeast(1);

    const { type, data } = await verified(webhook as ReceivedWebhook);
    const delivery = await deliveryWhen(jobId, 'delivered');

    expect(type).toBe('job.succeeded');
    const { notify, ...job } = await api.job(jobId);
    expect(notify).toEqual({ url: receiver.url });
    expect(data).toEqual(job);
    expect(webhook?.headers['webhook-id']).toBe(delivery.deliveryId);
    expect(delivery).toMatchObject({ event: 'job.succeeded', url: receiver.url });
    expect(delivery.tries.map(({ status }) => status)).toEqual([204]);
  });

  it('come under one id to a receiver that fails three times', async () => {
    receiver.answer = (response, index) => {
      response.writeHead(index < 3 ? 500 : 200).end();
    };
    const jobId = await submit('echo', { value: 'again' });
    const webhooks = await receiver.atLeast(4);
    const delivery = await deliveryWhen(jobId, 'delivered');

    expect(new Set(webhooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(webhooks.map(({ body }) => body)).size).toBe(1);
    expect(delivery.tries.map(({ status }) => status)).toEqual([500, 500, 500, 200]);
    for (const webhook of webhooks) await verified(webhook);
  });

  it('are of another tenant nothing that can be seen', async () => {
    const jobId = await submit('echo', { value: 'mine' });
    const { deliveryId } = await deliveryWhen(jobId, 'delivered');
    const key = target.keys.globex;

    const list = await api.send(`/jobs/${jobId}/deliveries`, { key });
    const resend = await api.command(jobId, `deliveries/${deliveryId}/resend`, undefined, { key });

    expect([problemOf(list).code, problemOf(resend).code]).toEqual(['not_found', 'not_found']);
  });
});
