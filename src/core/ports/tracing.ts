import type { TraceParent, TraceContext } from '../trace/trace-context.ts';

/** Identifiers and facts of a span, never payloads or secrets. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  readonly name: string;
  /** What the span is to others. Default: work of our own. */
  readonly kind?: 'server' | 'consumer' | 'client';
  readonly attributes: SpanAttributes;
}

/** What a span says of an error. Not its message, which may quote a payload: that is in the job and in the logs. */
export interface SpanError {
  readonly name: string;
  readonly code?: string;
}

/** Work under way, as a trace shows it. */
export interface Span {
  /** What names it to others: they put their spans below. */
  readonly context: TraceContext;
  /** Runs work in a span below this one. What the work leaves unsettled ends with this span. */
  inSpan<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T>;
  note(attributes: SpanAttributes): void;
  fail(error: SpanError): void;
}

/** Traces of whatever runs the core. Never throws, and never fails the work that it is about. */
export interface Tracing {
  /** Of a hundred traces that begin here, how many are recorded. */
  readonly samplingPercent: number;
  /** The trace in which the platform calls us, where it has one. */
  ambient?(): Omit<TraceParent, 'sampled'> | undefined;
  /**
   * Runs work in a span of its own, which code that the work calls finds as the current one. It ends with the work, as failed when
   * that rejects. In a trace that is not sampled nothing is recorded.
   */
  inSpan<T>(start: SpanStart, parent: TraceParent, work: (span: Span) => Promise<T>): Promise<T>;
}
