import type {
  Span,
  SpanAttributes,
  SpanError,
  SpanStart,
  Tracing,
} from '../../core/ports/tracing.ts';
import { noSpan } from '../../core/trace/no-tracing.ts';
import type { TraceContext } from '../../core/trace/trace-context.ts';

/** Traces that are sent away now and then. */
export interface FlushableTracing extends Tracing {
  /** Sends what has ended; at the end of each invocation. Takes a bounded time and never rejects. */
  flush(): Promise<void>;
}

/** A span of one of the libraries. */
export interface RecordedSpan {
  readonly context: TraceContext;
  /** Calls with the span as the current one, for whatever the call starts. */
  run<T>(call: () => T): T;
  below(start: SpanStart): RecordedSpan;
  note(attributes: SpanAttributes): void;
  fail(error: SpanError): void;
  end(): void;
}

/** Runs work in a recorded span, which ends with the work and takes what is still open below it along. */
export function runRecorded<T>(
  recorded: RecordedSpan,
  work: (span: Span) => Promise<T>,
): Promise<T> {
  return new OpenSpan(recorded).run(work);
}

class OpenSpan implements Span {
  readonly #recorded: RecordedSpan;
  readonly #open = new Set<OpenSpan>();
  #hasEnded = false;

  constructor(recorded: RecordedSpan) {
    this.#recorded = recorded;
  }

  get context(): TraceContext {
    return this.#recorded.context;
  }

  async inSpan<T>(start: SpanStart, work: (span: Span) => Promise<T>): Promise<T> {
    if (this.#hasEnded) return work(noSpan(this.context));
    const child = new OpenSpan(this.#recorded.below(start));
    this.#open.add(child);
    try {
      return await child.run(work);
    } finally {
      this.#open.delete(child);
    }
  }

  async run<T>(work: (span: Span) => Promise<T>): Promise<T> {
    try {
      return await this.#recorded.run(() => work(this));
    } catch (error) {
      this.fail(spanErrorOf(error));
      throw error;
    } finally {
      this.#end();
    }
  }

  note(attributes: SpanAttributes): void {
    if (!this.#hasEnded) this.#recorded.note(attributes);
  }

  fail(error: SpanError): void {
    if (!this.#hasEnded) this.#recorded.fail(error);
  }

  #end(): void {
    if (this.#hasEnded) return;
    for (const child of this.#open) {
      child.note({ unfinished: true });
      child.#end();
    }
    this.#hasEnded = true;
    this.#recorded.end();
  }
}

function spanErrorOf(error: unknown): SpanError {
  const { name, code } = Object(error) as Readonly<Record<string, unknown>>;
  return {
    name: typeof name === 'string' ? name : 'Error',
    ...(typeof code === 'string' && { code }),
  };
}
