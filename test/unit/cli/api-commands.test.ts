import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { commandLine, TEST_KEY } from '../../support/command-line.ts';
import { eventStream, json, problem, sse, streamOf } from '../../support/fake-api.ts';

const AT = '2026-11-30T10:00:00.000Z';
const JOB = {
  jobId: 'job_1',
  agent: 'greet',
  status: 'queued',
  createdAt: AT,
  updatedAt: AT,
  attempts: 0,
  generation: 1,
  links: { self: '/v1/jobs/job_1', trace: '/v1/jobs/job_1/trace', events: '/v1/jobs/job_1/events' },
};
const DONE = { ...JOB, status: 'succeeded', result: { greetings: ['Hello, Ada!'] } };
const FAILED = {
  ...JOB,
  status: 'failed',
  error: { code: 'step_failed', message: 'no such page', step: 'read', attempt: 2 },
};
const CANCELLED = { ...JOB, status: 'cancelled' };
const INPUT = ['--input', '{"names":["Ada"]}'];

describe('longhaul batch', () => {
  const SUBMISSIONS = [
    { agent: 'greet', input: 1, idempotencyKey: 'guest-1' },
    { agent: 'nobody', input: 2, idempotencyKey: 'guest-2' },
  ];
  const ACCEPTED = { status: 202, job: JOB };
  const REFUSED = { status: 422, problem: { code: 'unknown_agent', detail: 'there is none' } };
  const run = (outcomes: readonly object[], ...args: string[]) =>
    commandLine(['batch', '--input', JSON.stringify(SUBMISSIONS), ...args], {
      replies: [json(200, { outcomes })],
    });

  it('prints a line for each, and fails when one was refused', async () => {
    const { code, out, notes, sent } = await run([ACCEPTED, REFUSED]);
    expect({ code, out }).toEqual({ code: 1, out: ['job_1', '- unknown_agent: there is none'] });
    expect(notes).toContain('1 accepted, 1 refused');
    expect(sent[0]).toMatchObject({ method: 'POST', path: '/jobs/batch' });
    expect(sent[0]?.body).toEqual({ jobs: SUBMISSIONS });
  });

  it('is done when all were accepted, and prints documents with --json', async () => {
    const { code, out } = await run([ACCEPTED, ACCEPTED], '--json');
    expect(code).toBe(0);
    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([ACCEPTED, ACCEPTED]);
  });

  it.each(['{}', '5', 'null', '[5]', '[null]'])('takes a list and not %s', async (input) => {
    const { code, sent } = await commandLine(['batch', '--input', input]);
    expect({ code, sent }).toEqual({ code: 2, sent: [] });
  });
});

describe('longhaul submit', () => {
  it('prints the id of the job and nothing else for a script, and says to a person how to go on', async () => {
    const { code, out, notes, sent } = await commandLine(['submit', 'greet', ...INPUT], {
      replies: [json(202, JOB)],
    });

    expect({ code, out }).toEqual({ code: 0, out: ['job_1'] });
    expect(notes).toContain('longhaul watch job_1');
    expect(sent[0]).toMatchObject({ method: 'POST', path: '/jobs' });
    expect(sent[0]?.body).toEqual({ agent: 'greet', input: { names: ['Ada'] } });
    expect(sent[0]?.headers.get('authorization')).toBe(`Bearer ${TEST_KEY}`);
    expect(sent[0]?.headers.get('idempotency-key')).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('sends all that a submission may hold', async () => {
    const { sent, code } = await commandLine(
      [
        ...['submit', 'greet', ...INPUT, '--tag', 'a', '--tag', 'b', '--metadata', 'desk=north=1'],
        ...['--idempotency-key', 'order-17', '--delay', '90s', '--max-steps', '5'],
        ...[
          '--max-duration',
          '2h',
          '--notify',
          'https://x.test/',
          '--notify-on',
          'failed, waiting',
        ],
      ],
      { replies: [json(202, JOB)] },
    );

    expect(code).toBe(0);
    expect(sent[0]?.headers.get('idempotency-key')).toBe('order-17');
    expect(sent[0]?.body).toEqual({
      agent: 'greet',
      input: { names: ['Ada'] },
      tags: ['a', 'b'],
      metadata: { desk: 'north=1' },
      delay: '90s',
      limits: { maxSteps: 5, maxDuration: '2h' },
      notify: { url: 'https://x.test/', events: ['failed', 'waiting'] },
    });
  });

  it('takes its input from a file, from standard input, or from an upload', async () => {
    const file = join(mkdtempSync(join(tmpdir(), 'longhaul-')), 'input.json');
    writeFileSync(file, '{"from":"file"}');
    const readInput = () => Promise.resolve('{"from":"pipe"}\n');
    const submitted = async (...args: string[]) => {
      const { sent } = await commandLine(['submit', 'greet', ...args], {
        replies: [json(202, JOB)],
        terminal: { readInput },
      });
      return sent[0]?.body;
    };

    expect(await submitted('--input-file', file)).toMatchObject({ input: { from: 'file' } });
    expect(await submitted('--input-file', '-')).toMatchObject({ input: { from: 'pipe' } });
    expect(await submitted()).toMatchObject({ input: { from: 'pipe' } });
    expect(await submitted('--input-ref', 'upl_1')).toEqual({
      agent: 'greet',
      inputRef: { uploadId: 'upl_1' },
    });
  });

  it.each([
    { ended: DONE, code: 0, out: DONE.result },
    { ended: FAILED, code: 3, note: 'step_failed in step read, attempt 2: no such page' },
    { ended: CANCELLED, code: 4, note: 'cancelled' },
  ])('waits for the result with --wait and ends with $code', async ({ ended, code, out, note }) => {
    const events = eventStream([sse('1.1.0', `job.${ended.status}`)]);
    const replies = [json(202, JOB), json(200, JOB), events, json(200, ended), json(200, ended)];
    const run = await commandLine(['submit', 'greet', ...INPUT, '--wait'], { replies });

    expect(run.code).toBe(code);
    if (out === undefined) expect(run.out).toEqual([]);
    else expect(JSON.parse(run.out.join('\n'))).toEqual(out);
    if (note !== undefined) expect(run.notes).toContain(note);
  });

  it('ends with 5 when the job has not ended in time, which is no end of the job', async () => {
    const silent = () => streamOf(new ReadableStream());
    const { code, notes } = await commandLine(
      ['submit', 'greet', ...INPUT, '--wait', '--timeout', '20ms'],
      { replies: [json(202, JOB), json(200, JOB), silent] },
    );

    expect(code).toBe(5);
    expect(notes).toContain('did not end within 20 ms: it is queued');
  });
});

describe('longhaul watch', () => {
  const events = [
    sse('1.1.0', 'attempt.started', { at: AT, attempt: 1, crashes: 0 }),
    sse('1.1.1', 'progress.reported', { at: AT, completed: 1, total: 2, message: 'one' }),
    sse('1.2.0', 'step.succeeded', { at: AT, step: 'read', try: 1, durationMs: 240, size: 2 }),
    sse('1.3.0', 'job.succeeded', { at: AT, size: 2 }),
  ];

  it('writes plain lines where there is no screen, and last the job', async () => {
    const { code, out } = await commandLine(['watch', 'job_1'], {
      replies: [json(200, JOB), eventStream(events), json(200, DONE)],
    });

    expect(code).toBe(0);
    expect(out.slice(0, 4)).toEqual([
      `${AT}  attempt 1`,
      `${AT}  progress: 1 of 2, one`,
      `${AT}  ✓ read  240 ms`,
      `${AT}  succeeded, 2 B of result`,
    ]);
    expect(out[4]).toContain('Hello, Ada!');
    expect(out.join()).not.toContain('\u001b');
  });

  it('draws over its last line on a screen, which it leaves clean', async () => {
    const written: string[] = [];
    const { out } = await commandLine(['watch', 'job_1'], {
      replies: [json(200, JOB), eventStream(events), json(200, DONE)],
      terminal: { screen: { columns: 80, write: (text) => written.push(text) } },
    });

    expect(out.slice(0, 3).map((line) => line.trim())).toEqual([
      '0.0 s  attempt 1',
      '0.0 s  ✓ read  240 ms',
      '0.0 s  succeeded, 2 B of result',
    ]);
    expect(written.join('')).toContain('50 %  running');
    expect(written.at(-1)).toBe('\r\u001b[2K');
  });

  it('writes events as JSON, one a line, and last the job', async () => {
    const { code, out } = await commandLine(['watch', 'job_1', '--json'], {
      replies: [json(200, JOB), eventStream(events), json(200, FAILED)],
    });

    const lines = out.map((line) => JSON.parse(line) as { eventId?: string; jobId?: string });
    expect(lines.map(({ eventId }) => eventId)).toEqual([
      '1.1.0',
      '1.1.1',
      '1.2.0',
      '1.3.0',
      undefined,
    ]);
    expect(lines.at(-1)).toEqual(FAILED);
    expect(code).toBe(3);
  });

  it('asks for the job instead when no stream is free', async () => {
    const full = () => problem(503, 'unavailable', { 'retry-after': '3600' });
    const { code, out, notes } = await commandLine(['watch', 'job_1'], {
      replies: [json(200, JOB), full, json(200, { ...JOB, status: 'running' }), json(200, DONE)],
    });

    expect(code).toBe(0);
    expect(out[0]).toBe(`${AT}  running`);
    expect(notes).toContain('there are no events');
  });

  it('lets go of the job when the user has seen enough', async () => {
    const controller = new AbortController();
    const stream = () => {
      setTimeout(() => {
        controller.abort(new Error('interrupted'));
      });
      return streamOf(
        new ReadableStream({
          start: (body) => {
            controller.signal.addEventListener('abort', () => {
              body.error(controller.signal.reason);
            });
          },
        }),
      );
    };
    const { code, notes } = await commandLine(['watch', 'job_1'], {
      replies: [json(200, JOB), stream],
      terminal: { signal: controller.signal },
    });

    expect(code).toBe(130);
    expect(notes).toContain('the job goes on: longhaul watch job_1');
  });
});

describe('longhaul get', () => {
  it('shows a job in lines, and as one JSON document', async () => {
    const replies = () => [json(200, FAILED)];
    const { out, code } = await commandLine(['get', 'job_1'], { replies: replies() });
    expect(code).toBe(0);
    expect(out.join('\n')).toMatch(/^job +job_1\nagent +greet\nstatus +failed\nerror +step_failed/);

    const asJson = await commandLine(['get', 'job_1', '--json'], { replies: replies() });
    expect(JSON.parse(asJson.out.join(''))).toEqual(FAILED);
  });

  it('prints a result alone, also one that is kept elsewhere, without the key', async () => {
    const resultUrl = 'https://bucket.test/result?X-Amz-Signature=1';
    const large = { ...DONE, result: undefined, resultUrl };
    const { out, sent } = await commandLine(['get', 'job_1', '--result'], {
      replies: [json(200, large), json(200, large), json(200, { pages: 3 })],
    });

    expect(JSON.parse(out.join(''))).toEqual({ pages: 3 });
    expect(sent.at(-1)).toMatchObject({ method: 'GET', path: resultUrl });
    expect(sent.at(-1)?.headers.get('authorization')).toBeNull();
  });

  it.each([
    { job: { ...JOB, status: 'running' }, code: 1 },
    { job: FAILED, code: 3 },
    { job: CANCELLED, code: 4 },
  ])('ends with $code when there is no result of a job that is $job.status', async (row) => {
    const { code, out, notes } = await commandLine(['get', 'job_1', '--result'], {
      replies: [json(200, row.job)],
    });
    expect({ code, out }).toEqual({ code: row.code, out: [] });
    expect(notes).toContain(row.job.status);
  });

  it('does not let a job steer the terminal', async () => {
    const evil = {
      ...FAILED,
      error: { ...FAILED.error, message: '\u001b[2Jgone\u009b1m\nstatus ok' },
    };
    const { out } = await commandLine(['get', 'job_1'], { replies: [json(200, evil)] });
    expect(out.join('\n')).toContain('[2Jgone 1m status ok');
    // eslint-disable-next-line no-control-regex -- those are what must not get through
    expect(out.join('\n')).not.toMatch(/[\u001b\u009b]/);
  });
});

describe('longhaul stalled', () => {
  const reason = 'waits for the signal "decision" since then';
  const row = (jobId: string) => ({
    ...{ jobId, agent: 'greet', status: 'waiting', kind: 'waiting', reason },
    ...{
      since: AT,
      createdAt: AT,
      links: { job: '/v1/jobs/job_1', trace: '/v1/jobs/job_1/trace' },
    },
  });
  const page = (jobIds: readonly string[], next?: string) =>
    json(200, { stalledJobs: jobIds.map(row), next });

  it('shows what stands still and why, over pages that may be empty', async () => {
    const { code, out, sent } = await commandLine(
      ['stalled', '--waiting-longer', '1h', '--agent', 'greet', '--limit', '2'],
      { replies: [page(['job_1'], 'c1'), page([], 'c2'), page(['job_2'], 'c3')] },
    );

    expect(code).toBe(0);
    expect(out).toEqual([
      `job_1  waiting  waiting  greet  ${reason}`,
      `job_2  waiting  waiting  greet  ${reason}`,
    ]);
    expect(sent.map(({ path }) => path)).toEqual(
      ['', '&cursor=c1', '&cursor=c2'].map(
        (rest) => `/stalled-jobs?waitingLonger=1h&agent=greet&limit=2${rest}`,
      ),
    );
  });

  it('prints a job a line for programs', async () => {
    const { out } = await commandLine(['stalled', '--json'], { replies: [page(['job_1'])] });

    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([row('job_1')]);
  });
});

describe('longhaul list and trace', () => {
  it('list jobs over as many pages as it takes, and ask for no more than that', async () => {
    const page = (first: number, next?: string) =>
      json(200, { jobs: [first, first + 1].map((n) => ({ ...JOB, jobId: `job_${n}` })), next });
    const { out, sent, repliesLeft } = await commandLine(
      ['list', '--limit', '3', '--status', 'failed', '--agent', 'greet', '--json'],
      { replies: [page(1, 'c1'), page(3, 'c2'), page(5)] },
    );

    expect(out.map((line) => (JSON.parse(line) as { jobId: string }).jobId)).toEqual([
      'job_1',
      'job_2',
      'job_3',
    ]);
    expect(sent.map(({ path }) => path)).toEqual([
      '/jobs?status=failed&agent=greet&limit=3',
      '/jobs?status=failed&agent=greet&limit=3&cursor=c1',
    ]);
    expect(repliesLeft).toBe(1);
  });

  it('say since when as people do', async () => {
    const { sent } = await commandLine(['list', '--created-after', '24h'], {
      replies: [json(200, { jobs: [] })],
    });
    const query = new URL(`https://x${sent[0]?.path ?? ''}`).searchParams;
    const ageMs = Date.now() - Date.parse(query.get('createdAfter') ?? '');
    expect(Math.abs(ageMs - 86_400_000)).toBeLessThan(60_000);
  });

  it('show a trace, entry by entry, also one that is newer than the program', async () => {
    const entries = [
      { type: 'attempt.started', at: AT, attempt: 2, crashes: 1 },
      { type: 'moon.rose', at: AT },
    ];
    const { out } = await commandLine(['trace', 'job_1'], {
      replies: [json(200, { jobId: 'job_1', entries })],
    });
    expect(out).toEqual([`${AT}  attempt 2, after 1 crash`, `${AT}  moon.rose`]);
  });
});

describe('longhaul commands on a job', () => {
  it.each([
    { args: ['cancel', 'job_1'], path: '/jobs/job_1/cancel', body: undefined },
    { args: ['pause', 'job_1'], path: '/jobs/job_1/pause', body: undefined },
    { args: ['resume', 'job_1'], path: '/jobs/job_1/resume', body: undefined },
    { args: ['retry', 'job_1'], path: '/jobs/job_1/retry', body: {} },
    {
      args: ['retry', 'job_1', '--hint', 'ask first', '--from-step', 'page[3]/read'],
      path: '/jobs/job_1/retry',
      body: { hint: 'ask first', fromStep: 'page[3]/read' },
    },
    {
      args: ['fork', 'job_1', '--from-step', 'refund'],
      path: '/jobs/job_1/fork',
      body: { fromStep: 'refund' },
    },
    {
      args: ['signal', 'job_1', 'decision', '--input', 'true'],
      path: '/jobs/job_1/signals/decision',
      body: true,
    },
  ])('send $args and print the id of the job', async ({ args, path, body }) => {
    const { code, out, sent } = await commandLine(args, { replies: [json(200, JOB)] });
    expect({ code, out }).toEqual({ code: 0, out: ['job_1'] });
    expect(sent).toMatchObject([{ method: 'POST', path }]);
    expect(sent[0]?.body).toEqual(body);
  });

  it('redrive named jobs in parts, and fail when one is refused', async () => {
    const jobIds = Array.from({ length: 101 }, (_, n) => `job_${n}`);
    const { code, sent, notes } = await commandLine(['redrive', ...jobIds], {
      replies: [
        json(200, { outcomes: [{ jobId: 'job_0', outcome: 'redriven' }], more: false }),
        json(200, { outcomes: [{ jobId: 'job_100', outcome: 'not_found' }], more: false }),
      ],
    });
    expect(sent.map(({ body }) => (body as { jobIds: string[] }).jobIds.length)).toEqual([100, 1]);
    expect(code).toBe(1);
    expect(notes).toContain('1 redriven, 1 not found');
  });

  it('redrive what a request did not get to by the next one', async () => {
    const redriven = (jobId: string) => ({ jobId, outcome: 'redriven' });
    const { code, out, sent } = await commandLine(['redrive', 'job_1', 'job_2', '--json'], {
      replies: [
        json(200, { outcomes: [redriven('job_1')], more: true }),
        json(200, { outcomes: [redriven('job_2')], more: false }),
      ],
    });
    expect(code).toBe(0);
    expect(out).toHaveLength(2);
    expect(sent.map(({ body }) => body)).toEqual([
      { jobIds: ['job_1', 'job_2'] },
      { jobIds: ['job_2'] },
    ]);
  });

  it('redrive all, part by part', async () => {
    const redriven = (next?: string) =>
      json(200, {
        outcomes: [{ jobId: 'job_1', outcome: 'redriven' }],
        more: next !== undefined,
        next,
      });
    const { code, sent } = await commandLine(['redrive', '--all', '--agent', 'greet'], {
      replies: [redriven('c1'), redriven()],
    });
    expect(code).toBe(0);
    expect(sent.map(({ body }) => body)).toEqual([
      { all: true, agent: 'greet' },
      { all: true, agent: 'greet', cursor: 'c1' },
    ]);
  });

  it('redrive no faster than they are told to, each request no more than a second of it', async () => {
    const answer = (count: number, next?: string) =>
      json(200, {
        outcomes: [
          ...Array.from({ length: count }, (_, n) => ({ jobId: `job_${n}`, outcome: 'redriven' })),
          { jobId: 'job_9', outcome: 'already_redriven' },
        ],
        more: next !== undefined,
        next,
      });
    const pauses: number[] = [];
    const delay = (ms: number) => Promise.resolve(void pauses.push(ms));
    const { sent } = await commandLine(['redrive', '--all', '--rate', '4/s'], {
      replies: [answer(4, 'c1'), answer(2, 'c2'), answer(1)],
      terminal: { delay },
    });

    expect(sent.map(({ body }) => (body as { limit: number }).limit)).toEqual([4, 4, 4]);
    expect(pauses).toEqual([1_000, 500]);

    pauses.length = 0;
    const named = await commandLine(['redrive', 'job_1', 'job_2', '--rate', '30/min'], {
      replies: [
        json(200, { outcomes: [{ jobId: 'job_1', outcome: 'redriven' }], more: false }),
        json(200, { outcomes: [{ jobId: 'job_2', outcome: 'redriven' }], more: false }),
      ],
      terminal: { delay },
    });
    expect(named.sent.map(({ body }) => body)).toEqual([
      { jobIds: ['job_1'] },
      { jobIds: ['job_2'] },
    ]);
    expect(pauses).toEqual([2_000]);
  });

  it('show deliveries with each try', async () => {
    const delivery = {
      deliveryId: 'dlv_1',
      event: 'job.succeeded',
      url: 'https://x.test/hook',
      status: 'pending',
      tries: [
        { at: AT, status: 500, durationMs: 31 },
        { at: AT, error: 'timeout', durationMs: 15_000 },
      ],
      nextTryAt: AT,
      createdAt: AT,
    };
    const { out } = await commandLine(['deliveries', 'job_1'], {
      replies: [json(200, { deliveries: [delivery] })],
    });
    expect(out.join('\n').split('\n')).toEqual([
      'dlv_1  job.succeeded  pending  https://x.test/hook',
      `  ${AT}  500  31 ms`,
      `  ${AT}  timeout  15000 ms`,
      `  ${AT}  next try`,
    ]);
  });
});

describe('longhaul, refused', () => {
  it('shows faults with their pointers or parameters, what would be right, and the request', async () => {
    const body = {
      ...((await problem(422, 'invalid_input').json()) as object),
      errors: [
        { pointer: '/input/names', message: 'expected array' },
        { parameter: 'limit', message: 'is too large' },
      ],
      knownAgents: ['greet', 'echo'],
    };
    const args = ['submit', 'greet', ...INPUT];
    const { code, out, notes } = await commandLine(args, { replies: [json(422, body)] });

    expect({ code, out }).toEqual({ code: 1, out: [] });
    for (const part of [
      'told invalid_input',
      '/input/names: expected array',
      'limit: is too large',
      'greet, echo',
      'request-1',
    ]) {
      expect(notes).toContain(part);
    }
    const asJson = await commandLine([...args, '--json'], { replies: [json(422, body)] });
    expect(JSON.parse(asJson.notes)).toMatchObject({
      code: 'invalid_input',
      status: 422,
      requestId: 'request-1',
      problem: { errors: body.errors },
    });
  });

  it('says what to set when URL or key are missing, and sends nothing', async () => {
    const { code, notes, sent } = await commandLine(['get', 'job_1'], {
      env: { LONGHAUL_URL: ' ' },
    });
    expect({ code, sent }).toEqual({ code: 2, sent: [] });
    expect(notes).toContain('LONGHAUL_URL');
    expect(notes).toContain('LONGHAUL_KEY');
  });

  it('takes URL and key from flags before the environment', async () => {
    const { sent } = await commandLine(
      ['get', 'job_1', '--url', 'https://other.test/v1/', '--key', 'other-key'],
      { replies: [json(200, JOB)] },
    );
    expect(sent[0]?.path).toBe('https://other.test/v1/jobs/job_1');
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer other-key');
  });

  it.each([
    ['get', TEST_KEY],
    ['list', TEST_KEY],
    ['--key', TEST_KEY, 'list'],
    ['list', '--key', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln'],
    ['list', '--key=eyJhbGciOiJSUzI1NiJ9.e30.c2ln', 'eyJhbGciOiJSUzI1NiJ9.e30.c2ln'],
    ['get', 'job_1', '--url', TEST_KEY],
  ])('does not print the key in %p %p', async (...args) => {
    const { notes, out } = await commandLine(args, { replies: [problem(404, 'not_found')] });
    expect(notes).not.toBe('');
    expect(notes + out.join()).not.toMatch(/kkkk|eyJh/);
  });

  it.each([
    { args: ['submit'], named: '<agent>' },
    { args: ['submit', 'greet', 'more', ...INPUT], named: '"more"' },
    { args: ['submit', 'greet'], named: '--input-file' },
    { args: ['submit', 'greet', '--input', '{'], named: '--input is no JSON' },
    {
      args: ['submit', 'greet', '--input', '[9007199254740993]'],
      named: '--input cannot be sent as it is: the number 9007199254740993 would be read as',
    },
    { args: ['submit', 'greet', '--input-file', '/no/such/file'], named: '/no/such/file' },
    { args: ['submit', 'greet', ...INPUT, '--input-file', 'x'], named: '--input-file' },
    { args: ['submit', 'greet', ...INPUT, '--input-ref', 'x'], named: '--input-ref' },
    { args: ['submit', 'greet', ...INPUT, '--metadata', 'desk'], named: 'name=value' },
    { args: ['submit', 'greet', ...INPUT, '--max-steps', '0'], named: '--max-steps' },
    { args: ['submit', 'greet', ...INPUT, '--notify-on', 'failed'], named: '--notify' },
    { args: ['watch', 'job_1', '--timeout', 'soon'], named: '--timeout' },
    { args: ['watch', ''], named: '<jobId>' },
    { args: ['list', '--status', 'done'], named: 'succeeded' },
    { args: ['list', '--limit', '1.5'], named: '--limit' },
    { args: ['list', '--created-after', 'yesterday'], named: '--created-after' },
    { args: ['stalled', '--waiting-longer', 'long'], named: '--waiting-longer' },
    { args: ['stalled', 'job_1'], named: 'job_1' },
    { args: ['fork', 'job_1'], named: '--from-step' },
    { args: ['signal', 'job_1'], named: '<name>' },
    { args: ['redrive'], named: '--all' },
    { args: ['redrive', 'job_1', '--all'], named: '--all' },
    { args: ['redrive', 'job_1', '--code', 'x'], named: '--code' },
    { args: ['redrive', '--all', '--rate', '0/s'], named: '--rate' },
    { args: ['usage', '--month', 'May'], named: '--month' },
    { args: ['get', 'job_1', '--url', 'api.test/v1'], named: 'https://' },
  ])('says what is wrong with $args, sends nothing and ends with 2', async ({ args, named }) => {
    const { code, out, notes, sent } = await commandLine(args);
    expect({ code, out, sent }).toEqual({ code: 2, out: [], sent: [] });
    expect(notes).toContain(named);
    expect(notes).toContain(`usage: longhaul ${args[0] ?? ''}`);
  });
});
