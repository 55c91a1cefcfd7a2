import type { ReceivedHint } from '../job/parse-hint.ts';
import type { EngineDeps } from './engine-deps.ts';

/** A hint as an invocation of a worker received it. */
export interface AtWorker {
  readonly hint: ReceivedHint;
  /** Whether it came from a queue whose batches hold one job. */
  readonly isolated: boolean;
}

/**
 * Whether a hint has come to the worker of another lane: the configuration has changed since it was sent. One that names no agent
 * is of before there were lanes, and runs where it is.
 */
export function isStray(
  { queue }: Pick<EngineDeps, 'queue'>,
  lane: string,
  { agent, tenantId }: ReceivedHint,
): boolean {
  return agent !== undefined && tenantId !== undefined && queue.laneOf(agent) !== lane;
}

/** Sends it on to the queue of its lane, unclaimed. One that is refused there is made good by the sweeper. */
export async function handOver(
  { queue, telemetry }: Pick<EngineDeps, 'queue' | 'telemetry'>,
  { hint, isolated }: AtWorker,
): Promise<void> {
  const { jobId, tenantId = '', agent = '', traceparent } = hint;
  const at = { jobId, tenantId, agent, lane: queue.laneOf(agent) };
  try {
    telemetry.log('info', 'the hint of a job of another lane is handed over', at);
    await queue.send(
      {
        v: 1,
        jobId,
        tenantId,
        agent,
        reason: 'strayed',
        ...(traceparent !== undefined && { traceparent }),
      },
      { isolated },
    );
  } catch (error) {
    telemetry.log('warn', 'the hint was refused; the sweeper will send it', { ...at, error });
  }
}
