import { type Context, context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type ReadableSpan,
  type Sampler,
  SamplingDecision,
  type SpanProcessor,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import type { Clock } from '../../core/ports/clock.ts';
import type { SpanStart } from '../../core/ports/tracing.ts';
import type { Telemetry } from '../../core/ports/telemetry.ts';
import { contextOf, type TraceContext, type TraceParent } from '../../core/trace/trace-context.ts';
import { noSpan } from '../../core/trace/no-tracing.ts';
import { METRICS } from '../../settings/names.ts';
import { type FlushableTracing, type RecordedSpan, runRecorded } from './span-tree.ts';

export interface OtelOptions {
  readonly samplingPercent: number;
  /** Where the collector takes OTLP over HTTP, without `/v1/traces`. */
  readonly endpoint: string;
  readonly clock: Pick<Clock, 'now' | 'setTimer'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

/** Longest that an invocation waits for the collector. */
const FLUSH_MS = 1_000;
/** Below the first pause of the exporter's own retries, so that there are none: they would outlive the invocation. */
const REQUEST_MS = 700;
/** After a failure spans are dropped for so long: a collector that is away must not slow down each invocation. */
const PAUSE_MS = 30_000;

/**
 * Traces for any collector that takes OpenTelemetry. The provider is the global one, so that spans of libraries that a step
 * calls come below the step.
 */
export function otelTracing(options: OtelOptions): FlushableTracing {
  const ids = new ChosenIds();
  const outbox = new Outbox(options);
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ 'service.name': METRICS.service }),
    idGenerator: ids,
    sampler: new ParentBasedSampler({ root: ids }),
    spanProcessors: [outbox],
  });
  const manager = new AsyncLocalStorageContextManager();
  context.setGlobalContextManager(manager);
  trace.setGlobalTracerProvider(provider);
  const tracer = provider.getTracer(METRICS.service);

  const record = (start: SpanStart, parent: Context): RecordedSpan => {
    const kind = start.kind === undefined ? SpanKind.INTERNAL : KINDS[start.kind];
    const span = tracer.startSpan(start.name, { kind, attributes: start.attributes }, parent);
    const { traceId, spanId } = span.spanContext();
    const own = trace.setSpan(parent, span);
    return {
      context: { traceId, spanId, sampled: true },
      run: (call) => manager.with(own, call),
      below: (child) => record(child, own),
      note: (attributes) => {
        span.setAttributes(attributes);
      },
      fail: ({ name, code }) => {
        span.setAttribute('error.type', code ?? name);
        span.setStatus({ code: SpanStatusCode.ERROR, message: code ?? name });
      },
      end: () => {
        span.end();
      },
    };
  };

  return {
    samplingPercent: options.samplingPercent,
    inSpan: (start, parent, work) => {
      // Also where nothing is recorded: libraries go by the flag of the current span.
      if (!parent.sampled)
        return manager.with(remote(contextOf(parent)), () => work(noSpan(parent)));
      const recorded = ids.during(parent, () => record(start, remote(parent)));
      return runRecorded(recorded, work);
    },
    flush: () => outbox.send(),
  };
}

const KINDS = {
  server: SpanKind.SERVER,
  consumer: SpanKind.CONSUMER,
  client: SpanKind.CLIENT,
} as const;

/** The current context of this call holds nothing that a job may come below: jobs of one batch have different parents. */
function remote({ traceId, spanId, sampled }: TraceParent | TraceContext): Context {
  const root = trace.deleteSpan(context.active());
  if (spanId === undefined) return root;
  return trace.setSpanContext(root, {
    traceId,
    spanId,
    traceFlags: sampled ? 1 : 0,
    isRemote: true,
  });
}

/** Gives the first span of a trace the id that was decided for it; no trace begins in any other way. */
class ChosenIds extends RandomIdGenerator implements IdGenerator, Sampler {
  #chosen: string | undefined;

  constructor() {
    super();
    // The library declares it as a field.
    const random = this.generateTraceId.bind(this);
    this.generateTraceId = () => this.#chosen ?? random();
  }

  during<T>({ traceId }: TraceParent, call: () => T): T {
    this.#chosen = traceId;
    try {
      return call();
    } finally {
      this.#chosen = undefined;
    }
  }

  shouldSample(): { decision: SamplingDecision } {
    const isChosen = this.#chosen !== undefined;
    return {
      decision: isChosen ? SamplingDecision.RECORD_AND_SAMPLED : SamplingDecision.NOT_RECORD,
    };
  }
}

/** Holds ended spans until the end of the invocation: no timer of the library survives the freeze of an environment. */
class Outbox implements SpanProcessor {
  readonly #options: OtelOptions;
  readonly #exporter: OTLPTraceExporter;
  #ended: ReadableSpan[] = [];
  #pausedUntil = 0;

  constructor(options: OtelOptions) {
    this.#options = options;
    this.#exporter = new OTLPTraceExporter({
      url: `${options.endpoint.replace(/\/+$/, '')}/v1/traces`,
      timeoutMillis: REQUEST_MS,
    });
  }

  onStart(): void {
    // Spans matter once they have ended.
  }

  onEnd(span: ReadableSpan): void {
    if ((span.spanContext().traceFlags & 1) === 1) this.#ended.push(span);
  }

  async send(): Promise<void> {
    const spans = this.#ended;
    this.#ended = [];
    const { clock, telemetry, endpoint } = this.#options;
    if (spans.length === 0 || clock.now() < this.#pausedUntil) return;
    const failure = await this.#export(spans);
    if (failure === undefined) return;
    this.#pausedUntil = clock.now() + PAUSE_MS;
    const facts = { endpoint, spans: spans.length, error: failure };
    telemetry.log('warn', `spans were not taken and are dropped for ${PAUSE_MS / 1_000} s`, facts);
  }

  /** What went wrong, if anything did. */
  #export(spans: ReadableSpan[]): Promise<unknown> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.setTimer(FLUSH_MS, () => {
        resolve(new Error(`no answer within ${FLUSH_MS} ms`));
      });
      this.#exporter.export(spans, ({ error }) => {
        cancel();
        resolve(error);
      });
    });
  }

  forceFlush(): Promise<void> {
    return this.send();
  }

  shutdown(): Promise<void> {
    return this.send();
  }
}
