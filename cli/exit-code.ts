import type { Job } from '../client/index.ts';

/** What scripts go by; documented in docs/cli.md. */
export const EXIT = {
  done: 0,
  /** The request was refused, or did not get through. */
  failed: 1,
  /** The command was called wrongly; nothing was sent. */
  usage: 2,
  jobFailed: 3,
  jobCancelled: 4,
  /** The job did not end within `--timeout`; it goes on. */
  timedOut: 5,
  /** Ctrl-C, by convention of shells. */
  interrupted: 130,
  /** Whoever reads the output has closed it, as `head` does when it has enough; likewise. */
  pipeClosed: 141,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

/** How a command ends that waited for a job. */
export function exitCodeOf({ status }: Pick<Job, 'status'>): ExitCode {
  if (status === 'failed') return EXIT.jobFailed;
  return status === 'cancelled' ? EXIT.jobCancelled : EXIT.done;
}
