import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type * as z from 'zod';
import {
  deadLetterDetailSchema,
  deadLetterListSchema,
  redriveSchema,
} from '../../src/protocol/dead-letters.ts';
import type { JobRepresentation } from '../../src/protocol/job.ts';
import { ApiClient, type ApiResponse, problemOf } from '../support/api-client.ts';
import {
  describeLocal,
  isLocal,
  type LocalTarget,
  startTarget,
  type Target,
} from '../support/target.ts';

jest.setTimeout(300_000);

const HINT = { hint: 'please' };

/** What an operator of a tenant does; the agent `stubborn` has no other dead letters than these. */
class Operator {
  readonly #api: ApiClient;
  readonly #key: string;

  constructor(api: ApiClient, { keys }: Target) {
    this.#api = api;
    this.#key = keys.operator;
  }

  /** Jobs that were given up, oldest first. */
  async givenUp(count: number): Promise<string[]> {
    const jobIds: string[] = [];
    for (let number = 0; number < count; number++) {
      const jobId = await this.#api.submit('stubborn', { letter: true });
      expect(await this.#api.finalJob(jobId)).toMatchObject({ deadLettered: true });
      jobIds.push(jobId);
    }
    await this.#untilListed(jobIds);
    return jobIds;
  }

  async list(query = ''): Promise<z.output<typeof deadLetterListSchema>> {
    const path = `/dead-letters?agent=stubborn${query}`;
    return parsed(deadLetterListSchema, await this.#api.send(path, { key: this.#key }));
  }

  async listedIds(): Promise<string[]> {
    const { deadLetters, next } = await this.list('&limit=100');
    expect(next).toBeUndefined();
    return deadLetters.map(({ jobId }) => jobId);
  }

  inspect(jobId: string, key = this.#key): Promise<ApiResponse> {
    return this.#api.send(`/dead-letters/${jobId}`, { key });
  }

  send(body: object, key = this.#key): Promise<ApiResponse> {
    return this.#api.send('/dead-letters/redrive', { method: 'POST', key, body });
  }

  async redrive(body: object): Promise<z.output<typeof redriveSchema>> {
    return parsed(redriveSchema, await this.send(body));
  }

  /** An index may be a moment late. */
  async #untilListed(jobIds: readonly string[]): Promise<void> {
    const deadline = Date.now() + 20_000;
    for (;;) {
      const listed = await this.listedIds();
      if (jobIds.every((jobId) => listed.includes(jobId))) return;
      if (Date.now() > deadline) throw new Error(`not listed: ${jobIds.join()}`);
      await delay(100);
    }
  }
}

function parsed<Schema extends z.ZodObject>(
  schema: Schema,
  { status, text }: ApiResponse,
): z.output<Schema> {
  if (status !== 200) throw new Error(`expected 200, got ${status}: ${text}`);
  return schema.strict().parse(JSON.parse(text)) as z.output<Schema>;
}

let target: Target;
let api: ApiClient;
let operator: Operator;

beforeAll(async () => {
  target = await startTarget();
  api = new ApiClient(target, target.keys.operator);
  operator = new Operator(api, target);
});

afterAll(async () => {
  await target.stop();
});

describe('dead letters', () => {
  const outcomesOf = ({ outcomes }: z.output<typeof redriveSchema>) =>
    outcomes.map(({ outcome }) => outcome);

  /** It went on from where it had stopped, and everything before is still told. */
  async function expectRedriven(jobId: string): Promise<JobRepresentation> {
    const job = await api.finalJob(jobId);
    expect(job).toMatchObject({ status: 'succeeded', generation: 2, hintCount: 1 });
    expect(job).not.toHaveProperty('deadLettered');
    const trace = await api.trace(jobId);
    const types = trace.map(({ type }) => type);
    expect(types).toContain('job.failed');
    expect(trace).toContainEqual(expect.objectContaining({ type: 'job.restarted', ...HINT }));
    const steps = trace.filter((entry) => entry.type === 'step.succeeded');
    expect(steps.map(({ step }) => step)).toEqual(['plan', 'draft', 'deliver']);
    return job;
  }

  it('are listed newest first and page by page, and leave with a plain retry', async () => {
    const jobIds = await operator.givenUp(3);
    const pages: string[][] = [];
    let query = '';
    do {
      const { deadLetters, next } = await operator.list(`&limit=2${query}`);
      pages.push(deadLetters.map(({ jobId }) => jobId));
      query = next === undefined ? '' : `&cursor=${next}`;
    } while (query !== '');
    expect(pages.flat()).toEqual(jobIds.toReversed());

    for (const jobId of jobIds) await api.order(jobId, 'retry', HINT);

    expect(await operator.listedIds()).toEqual([]);
    for (const jobId of jobIds) await expectRedriven(jobId);
  });

  it('say where to look', async () => {
    const [jobId = ''] = await operator.givenUp(1);

    const detail = parsed(deadLetterDetailSchema, await operator.inspect(jobId));

    expect(detail).toMatchObject({
      jobId,
      agent: 'stubborn',
      generation: 1,
      code: 'step_failed',
      step: 'deliver',
      cause: { message: 'no please' },
      input: { sizeBytes: '{"letter":true}'.length },
      job: { jobId, status: 'failed', deadLettered: true },
    });
    expect(detail.failedAt).toBe(detail.job.finishedAt);
    expect((await api.send(detail.links.trace.replace(/^.*?(?=\/jobs)/, ''))).status).toBe(200);
    await operator.redrive({ jobIds: [jobId], ...HINT });
    await expectRedriven(jobId);
    expect((await operator.inspect(jobId)).status).toBe(404);
  });

  it('are redriven one by one, once each however often it is asked for', async () => {
    const [one = '', two = ''] = await operator.givenUp(2);

    const first = await operator.redrive({ jobIds: [one], ...HINT });
    await expectRedriven(one);
    const again = await operator.redrive({ jobIds: [one], ...HINT });

    expect(outcomesOf(first)).toEqual(['redriven']);
    expect(again.outcomes).toEqual([
      { jobId: one, outcome: 'already_redriven', detail: 'the job is succeeded' },
    ]);
    expect(await operator.listedIds()).toEqual([two]);
    const rest = await operator.redrive({ jobIds: [one, two, 'job_none'], ...HINT });
    expect(outcomesOf(rest)).toEqual(['already_redriven', 'redriven', 'not_found']);
    await expectRedriven(two);
  });

  it('are redriven all, and listed again when they fail again', async () => {
    const jobIds = await operator.givenUp(3);

    const { outcomes, more } = await operator.redrive({ all: true, agent: 'stubborn' });
    expect(outcomes.map(({ jobId }) => jobId)).toEqual(jobIds.toReversed());
    expect(more).toBe(false);
    for (const jobId of jobIds) {
      expect(await api.finalJob(jobId)).toMatchObject({ status: 'failed', generation: 2 });
    }
    const { deadLetters } = await operator.list();
    expect(deadLetters).toHaveLength(3);
    for (const letter of deadLetters) expect(letter).toMatchObject({ generation: 2 });

    const second = await operator.redrive({ all: true, agent: 'stubborn', ...HINT });
    expect(outcomesOf(second)).toEqual(['redriven', 'redriven', 'redriven']);
    for (const jobId of jobIds) {
      expect(await api.finalJob(jobId)).toMatchObject({ status: 'succeeded', generation: 3 });
    }
    expect(await operator.listedIds()).toEqual([]);
  });

  it('are nobody else’s, and need the scope ops', async () => {
    const [jobId = ''] = await operator.givenUp(1);
    const { acme, globex } = target.keys;
    for (const key of [acme, globex]) {
      expect(problemOf(await operator.inspect(jobId, key))).toMatchObject({ status: 403 });
      expect(problemOf(await operator.send({ all: true }, key))).toMatchObject({ status: 403 });
      expect((await api.send('/dead-letters', { key })).status).toBe(403);
    }
    await operator.redrive({ jobIds: [jobId], ...HINT });
    await expectRedriven(jobId);
  });

  it('leave the queue: the alarm ends', async () => {
    if (isLocal) await untilLeft(target as LocalTarget, 0);
  });
});

describeLocal('a redrive that dies', 'only here can a test kill it at a given request', () => {
  it('at any of its requests, can be sent again, and leaves only what nobody can read', async () => {
    const { control, queues } = target as LocalTarget;
    await queues.sendToDeadLetters('no letter');
    const [undisturbed = ''] = await operator.givenUp(1);
    await control.resetCalls('api');
    const { queue } = await operator.redrive({ jobIds: [undisturbed], ...HINT });
    expect(queue).toEqual({ examined: 2, removed: 1, unreadable: 1 });
    const calls = await control.calls('api');
    const count = calls.indexOf('sqs:DeleteMessageBatch') + 1;
    expect(count).toBeGreaterThan(6);

    const jobIds = await operator.givenUp(count);
    let deaths = 0;
    for (const [index, jobId] of jobIds.entries()) {
      await control.crashAt('api', index + 1, index % 2 === 0 ? 'after' : 'before');
      const { status } = await operator.send({ jobIds: [jobId], ...HINT });
      // What another one has hidden takes no request: then there may be fewer of them.
      deaths += status >= 500 ? 1 : 0;
    }
    await control.resetCalls('api');
    expect(deaths).toBeGreaterThan(6);
    const again = await operator.redrive({ jobIds, ...HINT });

    for (const [index, { jobId, outcome }] of again.outcomes.entries()) {
      expect({ call: index + 1, outcome }).toMatchObject({
        outcome: expect.stringMatching(/^(already_)?redriven$/),
      });
      const { status, generation } = await api.finalJob(jobId);
      expect({ call: index + 1, status, generation }).toMatchObject({
        status: 'succeeded',
        generation: 2,
      });
    }
    expect(new Set(again.outcomes.map(({ outcome }) => outcome)).size).toBe(2);
    expect(await operator.listedIds()).toEqual([]);
    // What a redrive that died has hidden is seen again after some seconds, and then the sweeper's.
    await untilLeft(target as LocalTarget, 1);
    expect(await queues.deadLetters('no letter')).toEqual(['no letter']);
  });
});

/** Until so many messages are in the dead-letter queue: the sweeper looks once a minute. */
async function untilLeft({ queues }: LocalTarget, count: number): Promise<void> {
  const deadline = Date.now() + 100_000;
  while ((await queues.deadLetterCount()) > count && Date.now() < deadline) await delay(500);
  expect(await queues.deadLetterCount()).toBe(count);
}
