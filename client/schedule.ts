import type { JobLimits, Notify } from './submission.ts';

/** When to run, and what to submit then. */
export interface AskedSchedule {
  /** `cron(0 9 ? * MON-FRI *)` or `rate(15 minutes)`, as EventBridge Scheduler has them. */
  readonly expression: string;
  /** The zone whose clocks a cron expression goes by, such as `Europe/Berlin`. @default - `UTC` */
  readonly timezone?: string;
  /** No run before it, in ISO 8601. */
  readonly startAt?: string;
  /** No run after it. */
  readonly endAt?: string;
  /** Name of the agent that does the jobs. */
  readonly agent: string;
  readonly input: unknown;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  readonly limits?: JobLimits;
  readonly notify?: Notify;
}
