import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { Tracing } from '../ports/tracing.ts';
import type { TraceContext, TraceParent } from './trace-context.ts';

export interface TraceDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<IdSource, 'newId' | 'sha256'>;
  /** Without it traces have ids, for the logs, and nothing is recorded. */
  readonly tracing?: Tracing;
}

/**
 * The trace of a new job, the same in every slice of it: the caller's, whose decision on sampling is honoured; else that of the
 * platform, or a new one, of which the share is recorded that the configuration says.
 */
export function beginTrace(deps: TraceDeps, caller: TraceContext | undefined): TraceParent {
  if (caller !== undefined) return caller;
  const begun = deps.tracing?.ambient?.() ?? { traceId: newTraceId(deps) };
  return { ...begun, sampled: isSampled(begun.traceId, deps.tracing?.samplingPercent ?? 0) };
}

/** X-Ray reads the first eight digits as seconds and refuses what is older than 30 days; to others they are as good as random. */
function newTraceId({ clock, ids }: TraceDeps): string {
  const seconds = Math.floor(clock.now() / 1_000)
    .toString(16)
    .padStart(8, '0')
    .slice(-8);
  return `${seconds}${ids.sha256(ids.newId()).slice(0, 24)}`;
}

/** By the last 52 bits of the id, so that whoever asks gets the same answer. */
export function isSampled(traceId: string, percent: number): boolean {
  return Number.parseInt(traceId.slice(-13), 16) < (percent / 100) * 2 ** 52;
}
