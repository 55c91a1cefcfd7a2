/** A span, as W3C Trace Context names it: https://www.w3.org/TR/trace-context/#traceparent-header */
export interface TraceContext {
  /** 32 hex digits. */
  readonly traceId: string;
  /** 16 hex digits. */
  readonly spanId: string;
  /** Whether spans of the trace are recorded: decided once, where it begins. */
  readonly sampled: boolean;
}

/** What a span comes below: another span, or nothing in a trace that begins with it. */
export type TraceParent = Omit<TraceContext, 'spanId'> & { readonly spanId?: string };

const TRACEPARENT =
  /^(?!ff)[0-9a-f]{2}-(?<traceId>(?!0{32})[0-9a-f]{32})-(?<spanId>(?!0{16})[0-9a-f]{16})-(?<flags>[0-9a-f]{2})$/;

/** Undefined: there is none, or it is not well-formed, and then it counts for nothing, as its specification asks. */
export function parseTraceparent(text: string | undefined): TraceContext | undefined {
  const { traceId, spanId, flags } = TRACEPARENT.exec(text ?? '')?.groups ?? {};
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 };
}

export function formatTraceparent({ traceId, spanId, sampled }: TraceContext): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The name of a parent for those who need one, though the trace has no span yet. */
export function contextOf({ traceId, spanId, sampled }: TraceParent): TraceContext {
  return { traceId, spanId: spanId ?? traceId.slice(16), sampled };
}

export function traceIdOf({ traceparent }: { readonly traceparent?: string }): string | undefined {
  return parseTraceparent(traceparent)?.traceId;
}
