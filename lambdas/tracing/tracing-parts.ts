import type { FlushableTracing } from '../../src/adapters/telemetry/span-tree.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import type { Telemetry } from '../../src/core/ports/telemetry.ts';

/** What an adapter for traces is made of. A function has the one of `tracing.mode` in the place of `#tracing`, and no other. */
export interface TracingParts {
  readonly samplingPercent: number;
  /** Of an OpenTelemetry collector. */
  readonly otlpEndpoint: string | undefined;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'log'>;
  readonly variables: Readonly<Record<string, string | undefined>>;
}

export type CreateTracing = (parts: TracingParts) => FlushableTracing;
