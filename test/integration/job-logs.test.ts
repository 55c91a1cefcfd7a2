import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  it,
  jest,
} from '@jest/globals';
import { powertoolsTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import { type BudgetWorld, startBudgetWorld } from '../support/budget-world.ts';
import { keepWrittenLines, type WrittenLine } from '../support/written-lines.ts';

jest.setTimeout(120_000);

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const TRACEPARENT = `00-${TRACE}-00f067aa0ba902b7-01`;
/** `docs/tracing.md` promises that a healthy job of five steps writes less. */
const LIMIT_BYTES = 2_048;

describe('the lines that submit and worker write', () => {
  let world: BudgetWorld;
  let lines: WrittenLine[];

  beforeAll(async () => {
    world = await startBudgetWorld({ telemetry: powertoolsTelemetry() });
  });

  afterAll(async () => {
    await world.stop();
  });

  beforeEach(() => {
    lines = keepWrittenLines();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  const submit = (agent: string, input: unknown): Promise<string> =>
    world.submit(agent, input, { traceparent: TRACEPARENT });

  /** Delivers what is queued until a job has ended. */
  async function run(jobId: string): Promise<void> {
    while (!['succeeded', 'failed'].includes((await world.jobs.getJob(jobId))?.status ?? '')) {
      await world.deliver();
    }
  }

  const linesOf = (jobId: string): WrittenLine['fields'][] =>
    lines.map(({ fields }) => fields).filter((fields) => fields.jobId === jobId);
  const sum = (some: readonly WrittenLine[]): number =>
    some.reduce((bytes, { text }) => bytes + Buffer.byteLength(text), 0);

  it('stay below 2 KB for a healthy job of five steps, with its metrics, though it runs alone', async () => {
    const jobId = await submit('five-steps', {});
    await run(jobId);

    expect(linesOf(jobId).map(({ message }) => message)).toEqual(['request', 'job succeeded']);
    expect(sum(lines)).toBeLessThan(LIMIT_BYTES);
  });

  it('say of each job which it is, whose, which attempt, in which trace, and by which request or message', async () => {
    const jobId = await submit('discreet', { secret: 'x', then: 'fail' });
    await run(jobId);

    const [request, ...others] = linesOf(jobId);
    expect(request).toMatchObject({
      message: 'request',
      requestId: 'request-1',
      tenantId: 'acme',
      agent: 'discreet',
      traceId: TRACE,
      status: 202,
    });
    expect(others.length).toBeGreaterThan(5);
    for (const line of others) {
      expect(line).toMatchObject({
        tenantId: 'acme',
        agent: 'discreet',
        attempt: expect.any(Number),
        traceId: TRACE,
        messageId: expect.any(String),
        invocationId: expect.any(String),
      });
    }
    expect(others.filter(({ message }) => message === 'step failed')).toMatchObject([
      { message: 'step failed', step: 'call', try: 1, level: 'WARN' },
    ]);
  });

  it('say of an error which step failed, with what, what the other side answered, and where the payload lies', async () => {
    const secret = 's'.repeat(20_000);
    const jobId = await submit('discreet', { secret, then: 'fail' });
    await run(jobId);

    const [line] = linesOf(jobId).filter(({ level }) => level === 'ERROR');
    expect(line).toMatchObject({
      message: 'job failed',
      status: 'failed',
      step: 'call',
      error: {
        code: 'step_failed',
        step: 'call',
        cause: { name: 'ServiceError', message: 'the service is busy' },
      },
      downstream: { status: 503, requestId: 'downstream-1' },
      payloadRef: {
        kind: 's3',
        key: expect.stringContaining(jobId),
        sizeBytes: expect.any(Number),
      },
    });
    expect(lines.some(({ text }) => text.includes(secret.slice(0, 40)))).toBe(false);
  });

  it('hold debug lines back until a job fails, and then only those of that job', async () => {
    const [healthy, failing] = [
      await submit('five-steps', {}),
      await submit('failing', { terminal: true }),
    ];
    expect(await world.deliver()).toBe(2);

    expect(linesOf(healthy).map(({ message }) => message)).toEqual(['request', 'job succeeded']);
    const told = linesOf(failing).filter(({ level }) => level === 'DEBUG');
    expect(told.map(({ message, step }) => [message, step])).toEqual([
      ['slice began', undefined],
      ['replay began', undefined],
      ['step succeeded', 'first'],
    ]);
    // When it happened, since it is written later.
    for (const { at, timestamp } of told) expect(String(at) <= String(timestamp)).toBe(true);
  });
});
