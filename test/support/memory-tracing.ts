import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import {
  type FlushableTracing,
  type RecordedSpan,
  runRecorded,
} from '../../src/adapters/telemetry/span-tree.ts';
import type { SpanAttributes, SpanError, SpanStart } from '../../src/core/ports/tracing.ts';
import { noSpan } from '../../src/core/trace/no-tracing.ts';
import type { TraceParent } from '../../src/core/trace/trace-context.ts';
import type { SeenSpan } from './trace-receivers.ts';

export interface MemoryTracing extends FlushableTracing {
  /** In the order in which they ended. */
  readonly spans: readonly SeenSpan[];
  readonly currentSpanId: () => string | undefined;
}

/** Keeps ended spans. */
export function memoryTracing(samplingPercent = 100): MemoryTracing {
  const spans: SeenSpan[] = [];
  const current = new AsyncLocalStorage<string>();

  const record = (start: SpanStart, { traceId, spanId: parentId }: TraceParent): RecordedSpan => {
    const spanId = randomBytes(8).toString('hex');
    let attributes: SpanAttributes = start.attributes;
    let error: SpanError | undefined;
    const context = { traceId, spanId, sampled: true };
    return {
      context,
      run: (call) => current.run(spanId, call),
      below: (child) => record(child, context),
      note: (more) => {
        attributes = { ...attributes, ...more };
      },
      fail: ({ name, code }) => {
        error = { name, ...(code !== undefined && { code }) };
      },
      end: () => {
        const { name } = start;
        const failed = error !== undefined;
        const text = JSON.stringify({ name, attributes, error });
        spans.push({ name, traceId, spanId, parentId, failed, attributes, text });
      },
    };
  };

  return {
    samplingPercent,
    spans,
    currentSpanId: () => current.getStore(),
    inSpan: (start, parent, work) =>
      parent.sampled ? runRecorded(record(start, parent), work) : work(noSpan(parent)),
    flush: () => Promise.resolve(),
  };
}
