import type { Span, Tracing } from '../ports/tracing.ts';
import { contextOf, type TraceParent } from './trace-context.ts';

/** Records nothing. */
export const noTracing: Tracing = {
  samplingPercent: 0,
  inSpan: (_start, parent, work) => work(noSpan(parent)),
};

/** A span that nobody sees; what comes below it stays below its parent. */
export function noSpan(parent: TraceParent): Span {
  const span: Span = {
    context: contextOf(parent),
    inSpan: (_start, work) => work(span),
    note: () => undefined,
    fail: () => undefined,
  };
  return span;
}
