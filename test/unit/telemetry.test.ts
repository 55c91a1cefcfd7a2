import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { powertoolsTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';

describe('telemetry', () => {
  let lines: Record<string, unknown>[];

  beforeEach(() => {
    lines = [];
    const keep = (chunk: string | Uint8Array): boolean => {
      lines.push(JSON.parse(String(chunk)) as Record<string, unknown>);
      return true;
    };
    jest.spyOn(process.stdout, 'write').mockImplementation(keep);
    jest.spyOn(process.stderr, 'write').mockImplementation(keep);
  });

  afterEach(() => {
    jest.restoreAllMocks();
  });

  it('writes a log line as JSON with its fields and the error', () => {
    powertoolsTelemetry().log('warn', 'lost', { jobId: 'job-1', error: new TypeError('no') });

    expect(lines).toMatchObject([
      {
        level: 'WARN',
        message: 'lost',
        service: 'longhaul',
        jobId: 'job-1',
        error: { name: 'TypeError', message: 'no' },
      },
    ]);
  });

  it('writes one line of metrics per agent: for the service as a whole, and for the agent', () => {
    const telemetry = powertoolsTelemetry();
    telemetry.count('JobsSucceeded', 1, { agent: 'echo' });
    telemetry.count('JobsSucceeded', 2, { agent: 'echo' });
    telemetry.measure('EndToEndMs', 120, { agent: 'echo' });
    telemetry.measure('EndToEndMs', 80, { agent: 'echo' });
    telemetry.count('EnqueueFailed');

    telemetry.flush();

    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      service: 'longhaul',
      agent: 'echo',
      JobsSucceeded: 3,
      EndToEndMs: [120, 80],
    });
    expect(dimensionsOf(lines[0])).toEqual([['service'], ['service', 'agent']]);
    expect(lines[1]).toMatchObject({ EnqueueFailed: 1 });
    expect(dimensionsOf(lines[1])).toEqual([['service']]);
  });

  it('writes more values than a line takes in several lines, and none twice', () => {
    const telemetry = powertoolsTelemetry();
    for (let value = 0; value < 250; value++)
      telemetry.measure('EndToEndMs', value, { agent: 'a' });

    telemetry.flush();
    telemetry.flush();

    const values = lines.flatMap((line) => line.EndToEndMs as number[]);
    expect(values).toEqual(Array.from({ length: 250 }, (_, index) => index));
    lines.forEach((line) => {
      expect(dimensionsOf(line)).toEqual([['service'], ['service', 'agent']]);
    });
  });
});

function dimensionsOf(line: Record<string, unknown> | undefined): unknown {
  const aws = line?._aws as { CloudWatchMetrics: { Dimensions: unknown }[] };
  return aws.CloudWatchMetrics[0]?.Dimensions;
}
