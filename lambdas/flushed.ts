import type { FlushableTelemetry } from '../src/adapters/telemetry/powertools-telemetry.ts';
import type { FlushableTracing } from '../src/adapters/telemetry/span-tree.ts';

/** A handler whose traces are sent before it answers. */
export function flushing<Arguments extends unknown[], Result>(
  tracing: Pick<FlushableTracing, 'flush'>,
  handler: (...given: Arguments) => Promise<Result>,
): (...given: Arguments) => Promise<Result> {
  return async (...given) => {
    try {
      return await handler(...given);
    } finally {
      await tracing.flush();
    }
  };
}

/** At the end of an invocation: the traces may have something to log. */
export async function flushed(
  telemetry: FlushableTelemetry,
  tracing: FlushableTracing,
): Promise<void> {
  await tracing.flush();
  telemetry.flush();
}
