import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { SCOPES } from '../../src/protocol/routes.ts';
import { ApiClient, type ApiRequest, jobOf, problemOf } from '../support/api-client.ts';
import { describeLocal, type LocalTarget, startLocalTarget } from '../support/target.ts';
import { AUDIENCE, startTokenIssuer, type TokenIssuer } from '../support/token-issuer.ts';
import { startOtlpCollector, type TraceReceiver } from '../support/trace-receivers.ts';
import { WebhookReceiver } from '../support/webhook-receiver.ts';

jest.setTimeout(240_000);

const planted = (where: string): string => `${where}-${randomBytes(12).toString('hex')}`;
/** No form gives them away: only that nothing takes them along keeps them secret. */
const PLANTED = {
  // The agent logs it as data, records it, returns it, and throws it in fields of an error.
  input: planted('input'),
  metadata: planted('metadata'),
  tag: planted('tag'),
  signal: planted('signal'),
  idempotencyKey: planted('idempotency-key'),
  webhookPath: planted('webhook-path'),
  webhookQuery: planted('webhook-query'),
  webhookAnswer: planted('webhook-answer'),
  badBody: planted('bad-body'),
  // What a JSON parser quotes as a whole.
  shortBody: `x${randomBytes(8).toString('hex')}`,
  badHeader: planted('bad-header'),
  badQuery: planted('bad-query'),
};

describeLocal('a secret', 'only here can a test read all logs and traces', () => {
  let target: LocalTarget;
  let api: ApiClient;
  let collector: TraceReceiver;
  let receiver: WebhookReceiver;
  let issuer: TokenIssuer;
  /** Those that have a form. */
  let credentials: Record<'key' | 'unknownKey' | 'token' | 'brokenToken' | 'webhook', string>;
  const problems: string[] = [];

  beforeAll(async () => {
    [collector, receiver, issuer] = await Promise.all([
      startOtlpCollector(),
      WebhookReceiver.start(),
      startTokenIssuer(),
    ]);
    target = await startLocalTarget([
      'longhaul:tracing.mode=otel',
      `longhaul:tracing.otlpEndpoint=${collector.address}`,
      'longhaul:tracing.samplingPercent=100',
      `longhaul:jwt.issuer=${issuer.url}`,
      `longhaul:jwt.audience=${AUDIENCE}`,
    ]);
    const key = await target.createKey({ tenantId: 'acme', scopes: [...SCOPES] });
    const token = await issuer.token();
    api = new ApiClient(target, key);
    receiver.answer = (response, index) => {
      response.writeHead(index === 0 ? 500 : 204).end(PLANTED.webhookAnswer);
    };

    await succeed(token);
    await fail();
    await hearASignal();
    const unknownKey = `lh_${randomBytes(32).toString('base64url')}`;
    const brokenToken = `${token.slice(0, -8)}AAAAAAAA`;
    await beRefused(unknownKey, brokenToken);
    const [webhook = ''] = await target.webhookSecrets('acme');
    credentials = { key, unknownKey, token, brokenToken, webhook };
  });

  afterAll(async () => {
    await target.stop();
    await Promise.all([collector.stop(), receiver.stop(), issuer.stop()]);
  });

  const jobWith = (then: string): object => ({
    agent: 'discreet',
    input: { secret: PLANTED.input, then },
    metadata: { note: PLANTED.metadata },
    tags: [PLANTED.tag],
    notify: { url: `${receiver.url}/${PLANTED.webhookPath}?token=${PLANTED.webhookQuery}` },
  });

  async function succeed(token: string): Promise<void> {
    const headers = { 'idempotency-key': PLANTED.idempotencyKey };
    const { jobId } = jobOf(await api.post(jobWith('succeed'), { headers }), 202);
    const job = await api.finalJob(jobId);
    // It is there for its tenant, or this test would show nothing.
    expect(job).toMatchObject({ status: 'succeeded', result: { secret: PLANTED.input } });
    expect((await api.send(`/jobs/${jobId}`, { key: token })).status).toBe(200);
    const replay = await api.post(jobWith('succeed'), { headers });
    expect(replay.headers['idempotent-replayed']).toBe('true');
    await note(api.post(jobWith('wait'), { headers }), 422);
    // A try that fails, and one that is taken.
    await receiver.atLeast(2);
  }

  async function fail(): Promise<void> {
    const before = receiver.received.length;
    const { jobId } = jobOf(await api.post(jobWith('fail')), 202);
    expect(await api.finalJob(jobId)).toMatchObject({
      status: 'failed',
      error: { cause: { message: 'the service is busy' } },
    });
    expect((await api.send(`/jobs/${jobId}/trace`)).text).toContain(PLANTED.input);
    await receiver.atLeast(before + 1);
  }

  async function hearASignal(): Promise<void> {
    const { jobId } = jobOf(await api.post(jobWith('wait')), 202);
    await api.jobWhen(jobId, ({ status }) => status === 'waiting');
    await api.order(jobId, 'signals/go', { text: PLANTED.signal });
    await api.finalJob(jobId);
    await note(api.command(jobId, 'signals/go', { text: `${PLANTED.signal}-again` }), 409);
  }

  async function beRefused(unknownKey: string, brokenToken: string): Promise<void> {
    const secret = PLANTED.badBody;
    const post = (body: unknown, request: ApiRequest = {}) => api.post(body, request);
    await note(post(`{"agent": "echo", "input": "${secret}`), 400);
    await note(post(PLANTED.shortBody), 400);
    await note(post({ agent: 'order', input: { customer: { 'e/mail': secret } } }), 422);
    await note(post({ agent: 'echo', input: secret.repeat(100_000) }), 413);
    await note(post({ agent: 'echo', input: {}, metadata: { deep: { note: secret } } }), 400);
    await note(post({ agent: 'echo', input: {}, notify: { url: `ftp://u:${secret}@x` } }), 400);
    const hook = `http://169.254.169.254/${secret}?token=${secret}`;
    await note(post({ agent: 'echo', input: {}, notify: { url: hook } }), 400);
    const headers = { 'idempotency-key': `${PLANTED.badHeader} ü` };
    await note(post({ agent: 'echo', input: {} }, { headers }), 400);
    const traced = { traceparent: PLANTED.badHeader, cookie: PLANTED.badHeader };
    jobOf(await post({ agent: 'echo', input: { value: 1 } }, { headers: traced }), 202);
    await note(api.send(`/jobs?cursor=${PLANTED.badQuery}`), 400);
    await note(api.send(`/jobs?status=${PLANTED.badQuery}`), 400);
    await note(api.send('/jobs', { key: unknownKey }), 401);
    await note(api.send('/jobs', { key: brokenToken }), 401);
    const basic = { authorization: `Basic ${PLANTED.badHeader}` };
    await note(api.send('/jobs', { key: null, headers: basic }), 401);
  }

  async function note(answer: ReturnType<ApiClient['send']>, status: number): Promise<void> {
    const response = await answer;
    expect([problemOf(response).status, response.text]).toEqual([status, response.text]);
    problems.push(response.text + JSON.stringify(response.headers));
  }

  /** Every place that shows one of them. */
  const found = (texts: readonly string[]): string[] =>
    Object.entries({ ...PLANTED, ...credentials }).flatMap(([name, secret]) =>
      texts
        .filter((text) => text.includes(secret) || text.includes(encodeURIComponent(secret)))
        .map((text) => `${name}: ${text.slice(0, 500)}`),
    );

  it('is in no line of a log, and in no metric', async () => {
    const lines = (await target.functionLog()).split('\n');

    expect(lines.some((line) => line.includes('job failed'))).toBe(true);
    expect(lines.some((line) => line.includes('CloudWatchMetrics'))).toBe(true);
    expect(lines.some((line) => line.includes('a delivery failed and is tried again'))).toBe(true);
    expect(found(lines)).toEqual([]);
  });

  it('is in no span of a trace', () => {
    const names = new Set(collector.spans.map(({ name }) => name));

    expect([...names]).toEqual(
      expect.arrayContaining(['submit', 'job discreet', 'call', 'deliver job.failed']),
    );
    expect(found(collector.spans.map(({ text }) => text))).toEqual([]);
  });

  it('is in no problem that the API answers', () => {
    expect(problems.length).toBeGreaterThan(10);
    expect(found(problems)).toEqual([]);
  });
});
