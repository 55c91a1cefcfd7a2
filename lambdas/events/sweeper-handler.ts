import type { Context } from 'aws-lambda';
import { sweep, type SweepDeps } from '../../src/core/sweep/sweep.ts';

export interface SweeperDeps {
  readonly sweeper: SweepDeps;
  readonly intervalMs: number;
  readonly flush: () => void;
}

export type SweeperHandler = (
  event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<void>;

/** The schedule starts the sweeper every minute. */
const MINUTE_MS = 60_000;

/** Looks every interval until the next start is due. A look that fails is no reason to skip the next one. */
export function sweeperHandler({ sweeper, intervalMs, flush }: SweeperDeps): SweeperHandler {
  const { clock, telemetry } = sweeper;
  return async (_event, context) => {
    const startedAt = clock.now();
    const until = startedAt + Math.min(MINUTE_MS, context.getRemainingTimeInMillis() - intervalMs);
    for (let lookAt = startedAt; lookAt < until; lookAt += intervalMs) {
      await waitUntil(lookAt);
      try {
        await sweep(sweeper);
      } catch (error) {
        telemetry.log('error', 'a look of the sweeper failed', { error });
      }
      flush();
    }
  };

  function waitUntil(at: number): Promise<void> {
    return new Promise((resolve) => {
      clock.setTimer(Math.max(0, at - clock.now()), resolve);
    });
  }
}
