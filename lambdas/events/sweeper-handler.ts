import type { Context } from 'aws-lambda';
import type { FlushableTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import type { DeploymentLog } from '../../src/core/ports/deployment-log.ts';
import { tidyDeadLetters, type TidyDeps } from '../../src/core/commands/tidy-dead-letters.ts';
import { sweep, type SweepDeps } from '../../src/core/sweep/sweep.ts';

export interface SweeperDeps {
  readonly sweeper: SweepDeps;
  readonly tidy: TidyDeps;
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

/** Most receives of a start, so that a full queue that nobody looks after costs below $2 a month. */
const TIDY_RECEIVES = 20;

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
      // Once a minute, and behind the first look: what is overdue does not wait for it.
      if (lookAt === startedAt) await tidyUp();
      deps.telemetry.flush();
    }
  };

  async function tidyUp(): Promise<void> {
    try {
      if ((await deps.tidy.inbox.count()) === 0) return;
      const report = await tidyDeadLetters(deps.tidy, { maxReceives: TIDY_RECEIVES });
      telemetry.log('info', 'the dead-letter queue was tidied', { ...report });
    } catch (error) {
      telemetry.log('error', 'the dead-letter queue could not be tidied', { error });
    }
  }

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
