import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { deliveriesSchema, type DeliveryRepresentation } from '../../src/protocol/delivery.ts';
import { webhookSchema } from '../../src/protocol/webhook.ts';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';
import { receiver as exampleReceiver } from '../support/webhook-example.ts';
import { type ReceivedWebhook, WebhookReceiver } from '../support/webhook-receiver.ts';

jest.setTimeout(240_000);

describeLocal('webhooks', 'receivers are on this machine', () => {
  let target: LocalTarget;
  let api: ApiClient;
  let receiver: WebhookReceiver;

  beforeAll(async () => {
    target = await startLocalTarget(['longhaul:eventBus=new']);
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

  it('go nowhere by a redirect, which is a failed try', async () => {
    const elsewhere = await WebhookReceiver.start();
    const locations = ['http://169.254.169.254/latest/meta-data/', elsewhere.url];
    receiver.answer = (response, index) => {
      const location = locations[index];
      response.writeHead(location === undefined ? 200 : 307, { location: location ?? '' }).end();
    };
    const jobId = await submit('echo', { value: 'redirected' });
    const delivery = await deliveryWhen(jobId, 'delivered');
    await elsewhere.stop();

    expect(delivery.tries.map(({ status }) => status)).toEqual([307, 307, 200]);
    expect(elsewhere.received).toEqual([]);
  });

  it('stop at 410, and come again by hand under the same id', async () => {
    receiver.answer = (response, index) => {
      // A body that never ends is not waited for.
      response.writeHead(index === 0 ? 410 : 200).write('x'.repeat(100_000));
    };
    const jobId = await submit('failing', { terminal: true });
    const stopped = await deliveryWhen(jobId, 'stopped');
    expect(stopped.event).toBe('job.failed');

    const path = `deliveries/${stopped.deliveryId}/resend`;
    const answers = [await api.command(jobId, path), await api.command(jobId, path)];
    expect(answers.map(({ status }) => status)).toEqual([202, 202]);
    const delivery = await deliveryWhen(jobId, 'delivered');

    expect(delivery.deliveryId).toBe(stopped.deliveryId);
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids)).toEqual(new Set([stopped.deliveryId]));
  });

  it('tell that a job waits for a signal, which the receiver may send at once', async () => {
    const notify = { url: receiver.url, events: ['waiting'] };
    const jobId = await submit('ask', {}, notify);
    const [webhook] = await receiver.atLeast(1);
    const { type, data } = await verified(webhook as ReceivedWebhook);
    expect(type).toBe('job.waiting');
    expect(data).toMatchObject({ jobId, status: 'waiting' });
    expect(data.waitingFor).toMatchObject({ reason: 'signal', name: 'answer' });

    await api.order(jobId, `signals/${data.waitingFor?.name ?? ''}`, { text: 'yes' });
    expect((await api.finalJob(jobId)).status).toBe('succeeded');
    expect((await deliveriesOf(jobId)).map(({ event }) => event)).toEqual(['job.waiting']);
  });

  it('come although the worker dies right after the final write', async () => {
    await target.control.resetCalls('worker');
    await deliveryWhen(await submit('echo', { value: 'undisturbed' }), 'delivered');
    const calls = await target.control.calls('worker');
    const put = calls.lastIndexOf('dynamodb:PutItem');
    const jobIds: string[] = [];
    // Once with nothing but the duty written, once with the delivery put and nobody told of it.
    for (const call of [put, put + 1]) {
      await target.control.crashAt('worker', call, 'after');
      const jobId = await submit('echo', { value: call });
      await api.finalJob(jobId);
      jobIds.push(jobId);
    }
    for (const jobId of jobIds) {
      expect((await deliveryWhen(jobId, 'delivered')).event).toBe('job.succeeded');
    }
    await target.control.resetCalls('worker');
    const ids = receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids).size).toBe(3);
  });

  it('come although the notifier dies in the middle of sending, under the same id', async () => {
    await new Promise<void>((resolve, reject) => {
      receiver.answer = (response, index) => {
        if (index > 0) {
          response.writeHead(200).end();
          return;
        }
        target.control.crashAll('notifier').then(resolve, reject);
      };
      submit('echo', { value: 'crash' }).catch(reject);
    });
    const webhooks = await receiver.atLeast(2, { withinMs: 120_000 });
    expect(new Set(webhooks.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
  });

  it('go to endpoints of the tenant, too', async () => {
    const endpoint = await WebhookReceiver.start();
    await target.addEndpoint('globex', endpoint.url);
    const key = target.keys.globex;
    const submission = { agent: 'echo', input: { value: 1 } };
    const jobId = jobOf(await api.post(submission, { key }), 202).jobId;
    const [webhook] = await endpoint.atLeast(1);
    await endpoint.stop();

    const [secret = ''] = await target.webhookSecrets('globex');
    new Webhook(secret).verify(webhook?.body ?? '', webhook?.headers ?? {});
    expect(JSON.parse(webhook?.body ?? '')).toMatchObject({ data: { jobId } });
  });

  it('are refused at once towards addresses that are not public', async () => {
    for (const url of ['https://169.254.169.254/', 'http://10.0.0.1/', 'ftp://example.com/']) {
      const response = await api.post({ agent: 'echo', input: {}, notify: { url } });
      expect(problemOf(response)).toMatchObject({
        status: 400,
        errors: [{ pointer: '/notify/url' }],
      });
    }
  });

  it('are received by the example of the documentation', async () => {
    const seen: string[] = [];
    await api.run('echo', { value: 'so that there is a secret' });
    await deliveryWhen(await submit('echo', { value: 1 }), 'delivered');
    const [secret = ''] = await target.webhookSecrets('acme');
    const server = exampleReceiver(secret, ({ data }) => seen.push(data.jobId));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks`;

    const jobId = await submit('echo', { value: 2 }, { url });
    await deliveryWhen(jobId, 'delivered');
    server.close();

    expect(seen).toEqual([jobId]);
  });

  it('stand beside an event bus, which gets every change of status', async () => {
    const jobId = await api.submit('ask', {});
    await api.jobWhen(jobId, ({ status }) => status === 'waiting');
    await api.order(jobId, 'signals/answer', { text: 'yes' });
    await api.finalJob(jobId);
    const changesOf = async () =>
      (await target.control.events()).filter(({ detail }) => detail.jobId === jobId);
    const deadline = Date.now() + 30_000;
    while ((await changesOf()).length < 4 && Date.now() < deadline) await delay(100);

    const changes = await changesOf();
    expect(changes.map(({ detail }) => detail.change)).toEqual([
      'submitted',
      'started',
      'waiting',
      'succeeded',
    ]);
    expect(changes[0]).toMatchObject({
      source: 'longhaul',
      detailType: 'Longhaul Job Status Change',
      detail: { tenantId: 'acme', agent: 'ask', status: 'queued' },
    });
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
