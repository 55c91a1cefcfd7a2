import type { Context } from 'aws-lambda';
import type { FlushableTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import type { DeploymentLog } from '../../src/core/ports/deployment-log.ts';
import { sweep, type SweepDeps } from '../../src/core/sweep/sweep.ts';

export interface SweeperDeps {
  readonly sweeper: SweepDeps;
  readonly intervalMs: number;
  readonly deployment: {
    readonly id: string;
    readonly log: DeploymentLog;
    /** How long a deployment counts as new. */
    readonly newForMs: number;
  };
  readonly telemetry: Pick<FlushableTelemetry, 'measure' | 'flush'>;
}

export type SweeperHandler = (
  event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<void>;

/** The schedule starts the sweeper every minute. */
const MINUTE_MS = 60_000;

/** Looks every interval until the next start is due. A look that fails is no reason to skip the next one. */
export function sweeperHandler(deps: SweeperDeps): SweeperHandler {
  const { sweeper, intervalMs } = deps;
  const { clock, telemetry } = sweeper;
  let newUntil: number | undefined;
  return async (_event, context) => {
    const startedAt = clock.now();
    await noteDeployment(startedAt);
    const until = startedAt + Math.min(MINUTE_MS, context.getRemainingTimeInMillis() - intervalMs);
    for (let lookAt = startedAt; lookAt < until; lookAt += intervalMs) {
      await waitUntil(lookAt);
      try {
        await sweep(sweeper);
      } catch (error) {
        telemetry.log('error', 'a look of the sweeper failed', { error });
      }
      deps.telemetry.flush();
    }
  };

  /** By a metric, which keeps the alarm over all alarms quiet for a while. */
  async function noteDeployment(now: number): Promise<void> {
    const { id, log, newForMs } = deps.deployment;
    try {
      newUntil ??= (await log.since(id, now)) + newForMs;
      deps.telemetry.measure('Deploying', now < newUntil ? 1 : 0);
    } catch (error) {
      telemetry.log('warn', 'the deployment could not be noted', { error });
    }
  }

  function waitUntil(at: number): Promise<void> {
    return new Promise((resolve) => {
      clock.setTimer(Math.max(0, at - clock.now()), resolve);
    });
  }
}
