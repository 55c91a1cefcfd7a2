import type { Context, SQSBatchResponse, SQSEvent, SQSRecord } from 'aws-lambda';
import type { EngineDeps } from '../../src/core/engine/engine-deps.ts';
import { reportRefused } from '../../src/core/engine/deployed-agent.ts';
import { runBatch } from '../../src/core/engine/run-batch.ts';
import { sliceOf } from '../../src/core/engine/slice.ts';
import { parseHint } from '../../src/core/job/parse-hint.ts';

export interface WorkerDeps {
  readonly engine: EngineDeps;
  readonly leaseMs: number;
  /** Gives a message back to its queue by its receipt handle. */
  readonly returnMessage: (receiptHandle: string) => Promise<void>;
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
  returnMessage,
  flush,
}: WorkerDeps): WorkerHandler {
  let isRegistered = false;
  return async (event, context) => {
    const { clock, ids } = engine;
    if (!isRegistered) {
      // Only an invocation knows how long one is.
      reportRefused(engine, sliceOf(context.getRemainingTimeInMillis()).sliceMs);
      isRegistered = true;
    }
    const hints = event.Records.map((record) => ({ record, jobId: parseHint(record.body) }));
    try {
      await runBatch(engine, {
        // The platform may repeat a request id; an owner must be one invocation.
        invocationId: `${context.awsRequestId}-${ids.newId().slice(0, 6)}`,
        endsAt: clock.now() + context.getRemainingTimeInMillis(),
        leaseMs,
        jobIds: hints.flatMap(({ jobId }) => jobId ?? []),
        messageIds: new Map(hints.flatMap(messageIdOf)),
      });
      const unreadable = hints
        .filter(({ jobId }) => jobId === undefined)
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
      await returnMessage(record.receiptHandle);
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

function messageIdOf({
  record,
  jobId,
}: {
  record: SQSRecord;
  jobId: string | undefined;
}): [string, string][] {
  return jobId === undefined ? [] : [[jobId, record.messageId]];
}
