import { Tracer } from '@aws-lambda-powertools/tracer';
import xray from 'aws-xray-sdk-core';
import type { Clock } from '../../core/ports/clock.ts';
import type { SpanAttributes, SpanError, SpanStart } from '../../core/ports/tracing.ts';
import { noSpan } from '../../core/trace/no-tracing.ts';
import type { TraceParent } from '../../core/trace/trace-context.ts';
import { METRICS } from '../../settings/names.ts';
import { type FlushableTracing, type RecordedSpan, runRecorded } from './span-tree.ts';

type Segment = InstanceType<typeof xray.Segment>;
type Subsegment = InstanceType<typeof xray.Subsegment>;
type Provider = Tracer['provider'];

export interface XrayOptions {
  readonly samplingPercent: number;
  readonly clock: Pick<Clock, 'setTimer'>;
  /** Header of the trace in which Lambda calls: `Root=1-…;Parent=…`. */
  readonly invocationTrace: () => string | undefined;
  /** `host:port`. Default: that of the environment. */
  readonly daemonAddress?: string;
}

/** The daemon is on the same machine and takes datagrams at once. */
const FLUSH_MS = 500;
const NAME_CHARS = 200;

/**
 * Traces for AWS X-Ray by Powertools' Tracer. Each top span is a segment of its own with the trace id of its job: that of the
 * invocation stands for several jobs. Segments and their subsegments go to the daemon as they end, one datagram each.
 */
export function xrayTracing(options: XrayOptions): FlushableTracing {
  const { samplingPercent, clock, invocationTrace, daemonAddress } = options;
  const outbox = new Outbox();
  // Of outgoing requests it knows only the segment that was current last: with several jobs at once the wrong one.
  const { provider } = new Tracer({ serviceName: METRICS.service, captureHTTPsRequests: false });
  if (daemonAddress !== undefined) provider.setDaemonAddress(daemonAddress);
  return {
    samplingPercent,
    ambient: () => parentOf(invocationTrace()),
    inSpan: (start, parent, work) => {
      if (!parent.sampled) return work(noSpan(parent));
      const segment = new xray.Segment(nameOf(start), xrayIdOf(parent.traceId), parent.spanId);
      annotate(segment, start.attributes);
      return runRecorded(recordedIn({ provider, outbox, traceId: parent.traceId }, segment), work);
    },
    flush: () => outbox.drained(clock),
  };
}

interface Recording {
  readonly provider: Provider;
  readonly outbox: Outbox;
  readonly traceId: string;
}

function recordedIn(recording: Recording, segment: Segment | Subsegment): RecordedSpan {
  const { provider, outbox, traceId } = recording;
  return {
    context: { traceId, spanId: segment.id, sampled: true },
    // A context of its own for each: else jobs side by side would all see the segment that was set last.
    run: (call) =>
      provider.getNamespace().runAndReturn(() => {
        provider.setSegment(segment);
        return call();
      }),
    below: (start) => {
      const subsegment = segment.addNewSubsegment(nameOf(start));
      annotate(subsegment, start.attributes);
      return recordedIn(recording, subsegment);
    },
    note: (attributes) => {
      annotate(segment, attributes);
    },
    fail: (error) => {
      segment.addError(asError(error));
    },
    end: () => {
      outbox.send(() => {
        close(segment);
      });
    },
  };
}

/** Sends the segment as it is: what a library left open in it would keep it for ever, and thousands of steps would outgrow a datagram. */
function close(segment: Segment | Subsegment): void {
  if (segment instanceof xray.Segment) {
    const { notTraced } = segment;
    segment.notTraced = true;
    segment.close();
    if (notTraced === undefined) delete segment.notTraced;
    segment.flush();
    return;
  }
  const { parent } = segment;
  segment.notTraced = true;
  segment.close();
  segment.notTraced = false;
  segment.flush();
  parent.removeSubsegment(segment);
}

function annotate(segment: Segment | Subsegment, attributes: SpanAttributes): void {
  for (const [name, value] of Object.entries(attributes)) segment.addAnnotation(name, value);
}

function asError({ name, code }: SpanError): Error {
  return { name, message: code ?? name };
}

/** X-Ray takes letters, digits, blanks and these signs. */
function nameOf({ name }: SpanStart): string {
  return name.replace(/[^\p{L}\p{N}\s_.:/%&#=+\\\-@]/gu, '_').slice(0, NAME_CHARS);
}

function xrayIdOf(traceId: string): string {
  return `1-${traceId.slice(0, 8)}-${traceId.slice(8)}`;
}

const HEADER =
  /^Root=1-(?<time>[0-9a-f]{8})-(?<rest>[0-9a-f]{24})(?:;Parent=(?<spanId>[0-9a-f]{16}))?/;

function parentOf(header: string | undefined): Omit<TraceParent, 'sampled'> | undefined {
  const { time, rest, spanId } = HEADER.exec(header ?? '')?.groups ?? {};
  if (time === undefined || rest === undefined) return undefined;
  return { traceId: `${time}${rest}`, ...(spanId !== undefined && { spanId }) };
}

/** The SDK says what it has sent only in its log. */
class Outbox {
  #pending = 0;
  #whenEmpty: (() => void)[] = [];

  constructor() {
    const ignore = (): void => undefined;
    xray.setLogger({
      debug: (message: string) => {
        if (/^(?:Segment|Subsegment) sent/.test(message)) this.#settle();
      },
      info: ignore,
      warn: ignore,
      error: (message: string) => {
        if (/sending segment|too large to send/.test(message)) this.#settle();
      },
    });
  }

  send(emit: () => void): void {
    this.#pending++;
    emit();
  }

  async drained(clock: Pick<Clock, 'setTimer'>): Promise<void> {
    if (this.#pending <= 0) return;
    await new Promise<void>((resolve) => {
      const cancel = clock.setTimer(FLUSH_MS, resolve);
      this.#whenEmpty.push(() => {
        cancel();
        resolve();
      });
    });
    this.#pending = 0;
  }

  #settle(): void {
    this.#pending--;
    if (this.#pending > 0) return;
    for (const tell of this.#whenEmpty.splice(0)) tell();
  }
}
