import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { powertoolsTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import { keepWrittenLines, type WrittenLine } from '../support/written-lines.ts';

describe('telemetry', () => {
  let written: WrittenLine[];
  const lines = (): WrittenLine['fields'][] => written.map(({ fields }) => fields);

  beforeEach(() => {
    written = keepWrittenLines();
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('writes a log line as JSON with its fields and the error', () => {
    powertoolsTelemetry().log('warn', 'lost', { jobId: 'job-1', error: new TypeError('no') });

    expect(lines()).toMatchObject([
      {
        level: 'WARN',
        message: 'lost',
        service: 'longhaul',
        jobId: 'job-1',
        error: { name: 'TypeError', message: 'no' },
      },
    ]);
  });

  it('puts what surrounds a piece of work into each of its lines, and into no other', async () => {
    const telemetry = powertoolsTelemetry();
    const work = async (jobId: string): Promise<void> => {
      await Promise.resolve();
      telemetry.log('info', 'at work', { jobId });
    };

    await Promise.all([
      telemetry.during({ requestId: 'request-1' }, () => work('job-1')),
      telemetry.during({ requestId: 'request-2' }, () => work('job-2')),
    ]);
    telemetry.log('info', 'afterwards');

    expect(lines().map(({ jobId, requestId }) => [jobId, requestId])).toEqual([
      ['job-1', 'request-1'],
      ['job-2', 'request-2'],
      [undefined, undefined],
    ]);
  });

  it('writes what it held back of a job before the line of its error: the newest hundred lines', () => {
    const telemetry = powertoolsTelemetry();
    for (let step = 1; step <= 105; step++)
      telemetry.log('debug', 'step succeeded', { jobId: 'job-1', step });
    telemetry.log('debug', 'step succeeded', { jobId: 'job-2', step: 1 });

    telemetry.log('error', 'job failed', { jobId: 'job-1' });

    expect(
      lines()
        .slice(0, -2)
        .map(({ step }) => step),
    ).toEqual(Array.from({ length: 100 }, (_, index) => index + 6));
    expect(lines().slice(-2)).toMatchObject([
      { level: 'DEBUG', message: 'earlier lines are gone', jobId: 'job-1', lines: 5 },
      { level: 'ERROR', message: 'job failed' },
    ]);
  });

  it('holds nothing back beyond the invocation', () => {
    const telemetry = powertoolsTelemetry();
    telemetry.log('debug', 'slice began', { jobId: 'job-1' });

    telemetry.flush();
    telemetry.log('error', 'job failed', { jobId: 'job-1' });

    expect(lines().map(({ level }) => level)).toEqual(['ERROR']);
  });

  it('takes of an error what is known of errors, and nothing that somebody hung on it', () => {
    const error = Object.assign(new Error('refused'), {
      code: 'E1',
      statusCode: 503,
      requestId: 'aws-1',
      config: { headers: { authorization: 'Bearer hunter2hunter2' } },
      cause: Object.assign(new Error('below'), { password: 'hunter2' }),
    });

    powertoolsTelemetry().log('error', 'failed', { error });

    expect(lines()[0]?.error).toEqual({
      name: 'Error',
      message: 'refused',
      code: 'E1',
      stack: expect.stringContaining('refused'),
      downstream: { status: 503, requestId: 'aws-1' },
      cause: { name: 'Error', message: 'below', stack: expect.any(String) },
    });
    expect(written[0]?.text).not.toContain('hunter2');
  });

  it.each([
    { name: 'an API key', secret: `lh_${'A1b2'.repeat(8)}` },
    { name: 'a secret of webhooks', secret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD' },
    { name: 'a token', secret: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJzb21lYm9keSJ9.c2lnbmF0dXJl' },
    { name: 'a header of a password', secret: 'Basic aHVudGVyOmh1bnRlcjI=' },
  ])('takes $name out of whatever quotes it', ({ secret }) => {
    const error = new Error(`cannot use ${secret}!`, { cause: new Error(`got "${secret}"`) });

    powertoolsTelemetry({ showPayloads: true }).log('error', `no: ${secret}`, {
      error,
      payload: JSON.stringify({ note: `it is ${secret}` }),
    });

    expect(written[0]?.text).not.toContain(secret.slice(-12));
    expect(lines()[0]).toMatchObject({
      message: 'no: [redacted]',
      error: { message: 'cannot use [redacted]!', cause: { message: 'got "[redacted]"' } },
      payload: '{"note":"it is [redacted]"}',
    });
  });

  it('shows payloads only where they are asked for, and then without what is named like a secret', () => {
    const payload = JSON.stringify({ text: 'hello', auth: { apiKey: 'k', sessionToken: 't' } });

    powertoolsTelemetry().log('info', 'in', { payload });
    powertoolsTelemetry({ showPayloads: true }).log('info', 'in', { payload });

    expect(lines().map((line) => line.payload)).toEqual([
      undefined,
      '{"text":"hello","auth":{"apiKey":"[redacted]","sessionToken":"[redacted]"}}',
    ]);
  });

  it('writes one line of metrics per agent: for the service as a whole, and for the agent', () => {
    const telemetry = powertoolsTelemetry();
    telemetry.count('JobsSucceeded', 1, { agent: 'echo' });
    telemetry.count('JobsSucceeded', 2, { agent: 'echo' });
    telemetry.measure('EndToEndMs', 120, { agent: 'echo' });
    telemetry.measure('EndToEndMs', 80, { agent: 'echo' });
    telemetry.count('JobsSucceeded', 5, { agent: 'greet' });

    telemetry.flush();

    expect(lines()).toMatchObject([
      { service: 'longhaul', agent: 'echo', JobsSucceeded: 3, EndToEndMs: [120, 80] },
      { service: 'longhaul', agent: 'greet', JobsSucceeded: 5 },
    ]);
    const byAgent = [['service'], ['service', 'agent']];
    expect(lines().map(dimensionsOf)).toEqual([[byAgent], [byAgent]]);
  });

  it('writes metrics without an agent into the line of one, where no value is in the way', () => {
    const telemetry = powertoolsTelemetry();
    telemetry.count('AwsRequests', 4);
    telemetry.count('JobsSubmitted', 1, { agent: 'echo' });
    telemetry.count('JobsSubmitted', 1, { agent: 'greet' });
    telemetry.count('AwsRequests', 9, { agent: 'greet' });

    telemetry.flush();

    expect(lines()).toMatchObject([
      { AwsRequests: 4, agent: 'echo', JobsSubmitted: 1 },
      { AwsRequests: 9, agent: 'greet', JobsSubmitted: 1 },
    ]);
    const byAgent = [['service'], ['service', 'agent']];
    expect(lines().map(dimensionsOf)).toEqual([[[['service']], byAgent], [byAgent]]);
  });

  it('writes more values than a line takes in several lines, and none twice', () => {
    const telemetry = powertoolsTelemetry();
    for (let value = 0; value < 250; value++)
      telemetry.measure('EndToEndMs', value, { agent: 'a' });

    telemetry.flush();
    telemetry.flush();

    const values = lines().flatMap((line) => line.EndToEndMs as number[]);
    expect(values).toEqual(Array.from({ length: 250 }, (_, index) => index));
    for (const line of lines()) {
      expect(dimensionsOf(line)).toEqual([[['service'], ['service', 'agent']]]);
    }
  });
});

/** Of each set of metrics in a line. */
function dimensionsOf(line: WrittenLine['fields']): unknown[] {
  const aws = line._aws as { CloudWatchMetrics: { Dimensions: unknown }[] };
  return aws.CloudWatchMetrics.map(({ Dimensions }) => Dimensions);
}
