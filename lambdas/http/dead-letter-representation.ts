import type { Job } from '../../src/core/job/job.ts';
import type {
  DeadLetterDetail,
  DeadLetterRepresentation,
} from '../../src/protocol/dead-letters.ts';
import { instant } from './error-representation.ts';
import { sizeOf } from './trace-entry.ts';

/** A dead-lettered job in brief: a page of a hundred has to stay far below what an answer may have. */
export function deadLetterRepresentation(job: Job, basePath: string): DeadLetterRepresentation {
  const { jobId, agent, generation, error } = job;
  const { cause } = error ?? {};
  return {
    jobId,
    agent,
    generation,
    code: error?.code ?? 'internal_error',
    message: error?.message ?? '',
    attempt: error?.attempt ?? job.epoch,
    failedAt: instant(job.finishedAt ?? job.updatedAt),
    ...(error?.step !== undefined && { step: error.step }),
    ...(cause !== undefined && {
      cause: {
        name: cause.name,
        message: cause.message,
        ...(cause.code !== undefined && { code: cause.code }),
      },
    }),
    links: {
      self: `${basePath}/dead-letters/${jobId}`,
      job: `${basePath}/jobs/${jobId}`,
      trace: `${basePath}/jobs/${jobId}/trace`,
    },
  };
}

/** Where its input is kept. */
export function inputReference({ input }: Job): DeadLetterDetail['input'] {
  if (input.kind !== 's3') return { sizeBytes: sizeOf(input) };
  const { key, sizeBytes, sha256 } = input;
  return { sizeBytes, key, sha256 };
}
