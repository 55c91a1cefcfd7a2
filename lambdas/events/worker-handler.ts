import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { EngineDeps } from '../../src/core/engine/engine-deps.ts';
import { reportRefused, reportUnknown } from '../../src/core/engine/deployed-agent.ts';
import { handOver, isStray } from '../../src/core/engine/hand-over.ts';
import { runBatch } from '../../src/core/engine/run-batch.ts';
import { sliceOf } from '../../src/core/engine/slice.ts';
import { parseHint } from '../../src/core/job/parse-hint.ts';

export interface WorkerDeps {
  readonly engine: EngineDeps;
  readonly leaseMs: number;
  /** The lane that this worker is, and the agents that the configuration names for it. */
  readonly lane: { readonly name: string; readonly agents: readonly string[] };
  /** Whether a message is from a queue whose batches hold one job. */
  readonly isIsolated: (message: Pick<SQSRecord, 'eventSourceARN'>) => boolean;
  /** Gives a message back to its queue. */
  readonly returnMessage: (
    message: Pick<SQSRecord, 'receiptHandle' | 'eventSourceARN'>,
  ) => Promise<void>;
  readonly flush: () => void | Promise<void>;
}

export type WorkerHandler = (
  event: SQSEvent,
  context: Pick<Context, 'awsRequestId' | 'getRemainingTimeInMillis'>,
) => Promise<SQSBatchResponse>;

/**
 * Every hint that can be read is done with when this returns, whatever became of its job: the table is the truth. One that
 * cannot is given back, so that the queue's own redrive policy takes it to the dead-letter queue.
 */
export function workerHandler({
  engine,
  leaseMs,
  lane,
  isIsolated,
  returnMessage,
  flush,
}: WorkerDeps): WorkerHandler {
  let isRegistered = false;
  return async (event, context) => {
    const { clock, ids } = engine;
    if (!isRegistered) {
      // Only an invocation knows how long one is.
      reportRefused(engine, lane.name, sliceOf(context.getRemainingTimeInMillis()).sliceMs);
      reportUnknown(engine, lane);
      isRegistered = true;
    }
    const received = event.Records.map((record) => ({ record, hint: parseHint(record.body) }));
    const hints = received.flatMap(({ record, hint }) =>
      hint === undefined ? [] : [{ hint, record, isolated: isIsolated(record) }],
    );
    const isElsewhere = ({ hint }: (typeof hints)[number]) => isStray(engine, lane.name, hint);
    const own = hints.filter((one) => !isElsewhere(one));
    try {
      const handedOver = hints.filter(isElsewhere).map((stray) => handOver(engine, stray));
      await runBatch(engine, {
        // The platform may repeat a request id; an owner must be one invocation.
        invocationId: `${context.awsRequestId}-${ids.newId().slice(0, 6)}`,
        endsAt: clock.now() + context.getRemainingTimeInMillis(),
        leaseMs,
        jobIds: own.map(({ hint }) => hint.jobId),
        messageIds: new Map(own.map(({ hint, record }) => [hint.jobId, record.messageId])),
      });
      await Promise.all(handedOver);
      const unreadable = received
        .filter(({ hint }) => hint === undefined)
        .map(({ record }) => record);
      return { batchItemFailures: await Promise.all(unreadable.map(giveBack)) };
    } finally {
      await flush();
    }
  };

  async function giveBack(record: SQSRecord): Promise<{ itemIdentifier: string }> {
    const { messageId } = record;
    engine.telemetry.log('error', 'a message that is no hint of a job goes back to its queue', {
      messageId,
      receives: record.attributes.ApproximateReceiveCount,
    });
    try {
      await returnMessage(record);
    } catch (error) {
      // Then its visibility timeout brings it back.
      engine.telemetry.log('warn', 'the message could not be given back at once', {
        messageId,
        error,
      });
    }
    return { itemIdentifier: messageId };
  }
}
