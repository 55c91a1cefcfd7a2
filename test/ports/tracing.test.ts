import { context, trace } from '@opentelemetry/api';
import { describe, expect, it } from '@jest/globals';
import xray from 'aws-xray-sdk-core';
import { otelTracing } from '../../src/adapters/telemetry/otel-tracing.ts';
import { xrayTracing } from '../../src/adapters/telemetry/xray-tracing.ts';
import { systemClock } from '../../src/adapters/system/clock.ts';
import { recordingTelemetry } from '../support/http.ts';
import { memoryTracing } from '../support/memory-tracing.ts';
import { startOtlpCollector, startXrayDaemon } from '../support/trace-receivers.ts';
import { VirtualClock } from '../../src/agent/testing/virtual-clock.ts';
import { describeTracing } from './describe-tracing.ts';

const noInvocation = (): undefined => undefined;
const PARENT = { traceId: '6866'.repeat(8), spanId: '00f067aa0ba902b7', sampled: true };
const START = { name: 'job echo', attributes: {} };

describeTracing('X-Ray', async () => {
  const receiver = await startXrayDaemon();
  const tracing = xrayTracing({
    samplingPercent: 5,
    clock: systemClock,
    invocationTrace: noInvocation,
    daemonAddress: receiver.address,
  });
  return { tracing, receiver, currentSpanId: () => xray.getSegment()?.id };
});

describeTracing('OpenTelemetry', async () => {
  const receiver = await startOtlpCollector();
  context.disable();
  trace.disable();
  const tracing = otelTracing({
    samplingPercent: 5,
    endpoint: receiver.address,
    clock: systemClock,
    telemetry: recordingTelemetry(),
  });
  return { tracing, receiver, currentSpanId: () => trace.getActiveSpan()?.spanContext().spanId };
});

describeTracing('memory', () => {
  const tracing = memoryTracing();
  const { spans, currentSpanId } = tracing;
  const receiver = {
    address: '',
    spans,
    atLeast: () => Promise.resolve(spans),
    traceWhen: () => Promise.resolve(spans),
    stop: () => Promise.resolve(),
  };
  return Promise.resolve({ tracing, receiver, currentSpanId });
});

describe('X-Ray tracing', () => {
  it.each([
    {
      name: 'a trace that Lambda has begun',
      header: 'Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled=1',
      expected: { traceId: '5759e988bd862e3fe1be46a994272793', spanId: '53995c3f42cd8ad8' },
    },
    {
      name: 'a trace without a parent',
      header: 'Root=1-5759e988-bd862e3fe1be46a994272793',
      expected: { traceId: '5759e988bd862e3fe1be46a994272793' },
    },
    { name: 'none', header: undefined, expected: undefined },
    { name: 'what is no trace', header: 'Root=1-2-3', expected: undefined },
  ])('knows $name', ({ header, expected }) => {
    const tracing = xrayTracing({
      samplingPercent: 5,
      clock: systemClock,
      invocationTrace: () => header,
    });

    expect(tracing.ambient?.()).toEqual(expected);
  });
});

describe('OpenTelemetry tracing', () => {
  it("sends the headers of the SDK's own variable, for a collector that wants a credential", async () => {
    const receiver = await startOtlpCollector();
    process.env.OTEL_EXPORTER_OTLP_HEADERS = 'authorization=Bearer%20credential';
    const tracing = otelTracing({
      samplingPercent: 5,
      endpoint: receiver.address,
      clock: systemClock,
      telemetry: recordingTelemetry(),
    });

    await tracing.inSpan(START, PARENT, () => Promise.resolve());
    await tracing.flush();

    delete process.env.OTEL_EXPORTER_OTLP_HEADERS;
    expect(receiver.headers.map(({ authorization }) => authorization)).toEqual([
      'Bearer credential',
    ]);
    await receiver.stop();
  });

  it('drops the spans for a collector that is not there, and fails nothing', async () => {
    const receiver = await startOtlpCollector();
    await receiver.stop();
    const telemetry = recordingTelemetry();
    const tracing = otelTracing({
      samplingPercent: 5,
      endpoint: receiver.address,
      clock: systemClock,
      telemetry,
    });

    const answer = await tracing.inSpan(START, PARENT, () => Promise.resolve('done'));
    await tracing.flush();

    expect(answer).toBe('done');
    expect(telemetry.lines).toMatchObject([
      { level: 'warn', fields: { endpoint: receiver.address, spans: 1 } },
    ]);
  });

  it('waits a second for a collector that does not answer, says so once, and does not ask it again at once', async () => {
    const receiver = await startOtlpCollector({ answers: false });
    const clock = new VirtualClock();
    const telemetry = recordingTelemetry();
    const tracing = otelTracing({
      samplingPercent: 5,
      endpoint: receiver.address,
      clock,
      telemetry,
    });

    for (let invocation = 0; invocation < 3; invocation++) {
      await tracing.inSpan(START, PARENT, () => Promise.resolve());
      const flushed = tracing.flush();
      clock.fireNext();
      await flushed;
    }

    expect(telemetry.lines).toMatchObject([
      { level: 'warn', message: 'spans were not taken and are dropped for 30 s' },
    ]);
    await receiver.stop();
  });
});
