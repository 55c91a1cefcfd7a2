import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { ApiClient, problemOf } from '../support/api-client.ts';
import { DOCUMENTED, type DocumentedOperation } from '../support/contract/document.ts';
import { type Generated, hostileRequests, validRequests } from '../support/generated/requests.ts';
import { anyJson, type Known } from '../support/generated/valid-values.ts';
import { startTarget, type Target } from '../support/target.ts';

jest.setTimeout(240_000);

/** `SEED=<seed>` tries others; a failure names the seed and the path to its smallest request. */
const SEED = Number(process.env.SEED ?? 20_261_130);
const RUNS = Number(process.env.RUNS ?? 40);
/** Codes by which a request is refused for its form alone. */
const MALFORMED = ['malformed_json', 'invalid_request', 'invalid_idempotency_key'];

describe('generated requests', () => {
  let target: Target;
  let api: ApiClient;
  let ended: readonly string[];

  beforeAll(async () => {
    target = await startTarget();
    api = new ApiClient(target);
    ended = await endedJobs();
  });

  afterAll(async () => {
    await target.stop();
  });

  /** Jobs that have ended, as they may be read and forked. */
  async function endedJobs(): Promise<string[]> {
    const jobs = await Promise.all([
      api.run('echo', { value: 1 }),
      api.run('echo', { value: 2 }),
      api.run('failing', { terminal: true }),
    ]);
    return jobs.map(({ jobId }) => jobId);
  }

  /** With jobs under way that no other operation has ended yet. */
  async function knownValues({ responses }: DocumentedOperation): Promise<Known> {
    // A stream of what goes on would stay open as long as the job.
    const isStream = responses['200']?.content?.['text/event-stream'] !== undefined;
    const underWay = isStream ? [] : [1, 2, 3, 4];
    const waiting = await Promise.all(underWay.map(() => api.submit('ask', {})));
    const foreign = await api.submit('echo', { value: 1 }, { key: target.keys.globex });
    return {
      jobId: fc.constantFrom(...ended, ...waiting, foreign, `job_${'0'.repeat(26)}`),
      agent: fc.constantFrom('echo', 'echo', 'echo', 'nobody'),
      input: fc.oneof({ weight: 4, arbitrary: fc.record({ value: anyJson }) }, anyJson),
      fromStep: fc.constantFrom('echo', 'break', 'nothing'),
      // Only what the API gave out is a place to go on from.
      cursor: fc.constant(undefined),
      after: fc.constant(undefined),
      'Last-Event-ID': fc.constant(undefined),
    };
  }

  /** The client has held the answer against the document already. */
  async function answerOf({ path, request }: Generated): Promise<string> {
    const response = await api.send(path, request);
    expect(response.status).toBeLessThan(500);
    if (response.status < 400) return 'accepted';
    const { code, requestId } = problemOf(response);
    expect(requestId).not.toBe('');
    return code;
  }

  it.each(DOCUMENTED)(
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

  it.each(DOCUMENTED)(
    '$operationId answers as documented whatever it is sent',
    async (operation) => {
      const known = await knownValues(operation);
      await fc.assert(
        fc.asyncProperty(hostileRequests(operation, known), async (generated) => {
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
