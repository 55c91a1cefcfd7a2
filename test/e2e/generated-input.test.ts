import { setTimeout as delay } from 'node:timers/promises';
import fc from 'fast-check';
import type * as z from 'zod';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { deliveriesSchema } from '../../src/protocol/delivery.ts';
import { ApiClient, jobOf, problemOf } from '../support/api-client.ts';
import { DOCUMENTED, type DocumentedOperation } from '../support/contract/document.ts';
import { type Generated, hostileRequests, validRequests } from '../support/generated/requests.ts';
import { anyJson, type Known } from '../support/generated/valid-values.ts';
import { isLocal, startTarget, type Target } from '../support/target.ts';

jest.setTimeout(240_000);

/** `SEED=<seed>` tries others; a failure names the seed and the path to its smallest request. */
const SEED = Number(process.env.SEED ?? 20_261_130);
const RUNS = Number(process.env.RUNS ?? 40);
/** Nothing is sent to such an address. */
const NOWHERE = 'https://127.0.0.1:9/hooks';
/** Codes by which a request is refused for its form alone. */
const MALFORMED = ['malformed_json', 'invalid_request', 'invalid_idempotency_key'];

const isStream = ({ responses }: DocumentedOperation): boolean =>
  responses['200']?.content?.['text/event-stream'] !== undefined;
/** The emulator answers 5xx to every streamed integration. */
const OPERATIONS = DOCUMENTED.filter((operation) => isLocal || !isStream(operation));

/** The emulator takes an encoded slash in an id for one that parts the path. */
const isPlayed = ({ path }: Generated): boolean =>
  isLocal || !/%2f/i.test(path.split('?')[0] ?? '');

describe('generated requests', () => {
  let target: Target;
  let api: ApiClient;
  let ended: readonly string[];
  let deliveryId: string;

  beforeAll(async () => {
    target = await startTarget();
    // Every scope there is.
    api = new ApiClient({ ...target, keys: { ...target.keys, acme: target.keys.ops } });
    ended = await endedJobs();
    deliveryId = await deliveryOf(ended[0] ?? '');
  });

  afterAll(async () => {
    await target.stop();
  });

  /** Jobs that have ended, as they may be read and forked. */
  async function endedJobs(): Promise<string[]> {
    const told = await api.post({ agent: 'echo', input: { value: 1 }, notify: { url: NOWHERE } });
    const jobs = await Promise.all([
      api.finalJob(jobOf(told, 202).jobId),
      api.run('echo', { value: 2 }),
      api.run('failing', { terminal: true }),
    ]);
    return jobs.map(({ jobId }) => jobId);
  }

  async function deliveryOf(jobId: string): Promise<string> {
    for (let tries = 0; tries < 100; tries += 1) {
      const { text } = await api.send(`/jobs/${jobId}/deliveries`);
      const { deliveries } = JSON.parse(text) as z.output<typeof deliveriesSchema>;
      if (deliveries[0] !== undefined) return deliveries[0].deliveryId;
      await delay(100);
    }
    throw new Error(`job ${jobId} has no delivery`);
  }

  /** Names of schedules, made anew. */
  async function schedules(): Promise<string[]> {
    const names = ['first', 'second', 'third'];
    const body = { expression: 'rate(1 hour)', agent: 'echo', input: { value: 1 } };
    for (const name of names) await api.send(`/schedules/${name}`, { method: 'PUT', body });
    return names;
  }

  /** With jobs under way that no other operation has ended yet. */
  async function knownValues(operation: DocumentedOperation): Promise<Known> {
    // A stream of what goes on would stay open as long as the job.
    const underWay = isStream(operation) ? [] : [1, 2, 3, 4];
    const waiting = await Promise.all(underWay.map(() => api.submit('ask', {})));
    const foreign = await api.submit('echo', { value: 1 }, { key: target.keys.globex });
    const isAboutDeadLetters = operation.path.startsWith('/dead-letters');
    const givenUp = isAboutDeadLetters ? [(await api.run('stubborn', { letter: true })).jobId] : [];
    const isAboutSchedules = operation.path.startsWith('/schedules');
    const scheduled = isAboutSchedules ? await schedules() : [];
    const jobId = fc.constantFrom(
      ...ended,
      ...waiting,
      ...givenUp,
      foreign,
      `job_${'0'.repeat(26)}`,
    );
    return {
      jobId,
      jobIds: fc.array(jobId, { minLength: 1, maxLength: 3 }),
      agent: fc.constantFrom('echo', 'echo', 'echo', 'nobody'),
      input: fc.oneof({ weight: 4, arbitrary: fc.record({ value: anyJson }) }, anyJson),
      // The first job is the one that has it.
      deliveryId: fc.constant(deliveryId),
      ...(isAboutSchedules && { name: fc.constantFrom(...scheduled, 'nothing') }),
      expression: fc.constantFrom('rate(1 hour)', 'cron(0 9 ? * MON-FRI *)', 'every day'),
      timezone: fc.constantFrom('UTC', 'Europe/Berlin', 'Mars/Olympus'),
      endAt: fc.constantFrom('2190-01-01T00:00:00Z', '2020-01-01T00:00:00Z'),
      url: fc.constant(NOWHERE),
      delay: fc.constantFrom('90s', '2h', '364d'),
      maxDuration: fc.constantFrom('1m', '1.5h'),
      waitingLonger: fc.constantFrom('1ms', '24h', '400d'),
      fromStep: fc.constantFrom('echo', 'break', 'nothing'),
      Prefer: fc.constantFrom('respond-async', 'wait=0', 'handling=lenient, wait=0', 'wait=1'),
      // Only what the API gave out is a place to go on from.
      cursor: fc.constant(undefined),
      after: fc.constant(undefined),
      'Last-Event-ID': fc.constant(undefined),
    };
  }

  /** The client has held the answer against the document already. */
  async function answerOf({ path, request }: Generated): Promise<string> {
    let response = await api.send(path, request);
    // A service that is busy has no part in what is tried here; one that always is would be found.
    for (let tries = 1; response.status === 503 && tries < 4; tries += 1) {
      await delay(1_000);
      response = await api.send(path, request);
    }
    expect(response.status).toBeLessThan(500);
    if (response.status < 400) return 'accepted';
    const { code, requestId } = problemOf(response);
    expect(requestId).not.toBe('');
    return code;
  }

  it.each(OPERATIONS)(
    '$operationId takes every request that the document allows',
    async (operation) => {
      const known = await knownValues(operation);
      const codes = new Set<string>();

      await fc.assert(
        fc.asyncProperty(validRequests(operation, known), async (generated) => {
          const code = await answerOf(generated);
          codes.add(code);
          expect(MALFORMED).not.toContain(code);
        }),
        { seed: SEED, numRuns: RUNS },
      );

      expect(codes).toContain('accepted');
    },
  );

  it.each(OPERATIONS)(
    '$operationId answers as documented whatever it is sent',
    async (operation) => {
      const known = await knownValues(operation);
      await fc.assert(
        fc.asyncProperty(hostileRequests(operation, known).filter(isPlayed), async (generated) => {
          await answerOf(generated);
        }),
        { seed: SEED, numRuns: RUNS },
      );
    },
  );

  it('and after all of this a job runs as ever', async () => {
    expect((await api.run('echo', { value: 'after' })).result).toEqual({ value: 'after' });
  });
});
