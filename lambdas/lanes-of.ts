import type * as z from 'zod';
import type { Lane } from '../src/adapters/sqs/job-queue.ts';
import { DEFAULT_LANE } from '../src/core/ports/job-queue.ts';
import type { workerEnvironment } from '../src/settings/environment.ts';

/** The lanes beside the default one, as the queue takes them. */
export function lanesOf({
  WORKER_LANES: lanes,
}: {
  readonly WORKER_LANES?: readonly Lane[] | undefined;
}) {
  return lanes === undefined ? {} : { lanes };
}

/** The lane whose queues this worker is invoked by. */
export function ownLane(env: z.output<typeof workerEnvironment>) {
  const { LANE, WORKER_LANES = [], JOB_QUEUE_URL, ISOLATION_QUEUE_URL } = env;
  const lane = WORKER_LANES.find(({ name }) => name === LANE);
  if (lane !== undefined) return lane;
  const byDefault = { jobsUrl: JOB_QUEUE_URL, isolationUrl: ISOLATION_QUEUE_URL };
  return { name: DEFAULT_LANE, agents: [], ...byDefault };
}
