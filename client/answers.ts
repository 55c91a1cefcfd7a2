import type {
  DeadLetterDetail as WireDeadLetterDetail,
  DeadLetterRepresentation,
  DeliveryRepresentation,
  JobRepresentation,
  Problem as WireProblem,
  RedriveRepresentation,
  ScheduleRepresentation,
  StalledJobRepresentation,
  TraceEntry as WireTraceEntry,
  Webhook,
} from '../src/protocol/index.ts';

/** A job as the API shows it. */
export type Job = JobRepresentation;
/** Where a job stands; `succeeded`, `failed` and `cancelled` are final. */
export type JobStatus = Job['status'];

/** Body of an answer that is not a success (RFC 9457). */
export type Problem = WireProblem;

/** A job that was accepted. */
export type SubmittedJob = Job & {
  /** Whether the idempotency key had made this job before. */
  readonly replayed: boolean;
};

/** What became of one submission of a batch. */
export type BatchOutcome =
  | { readonly status: 202; readonly job: Job; readonly replayed?: boolean }
  | { readonly status: number; readonly problem: Problem };

/** One thing that happened in a job. */
export type TraceEntry = WireTraceEntry;

/** One entry of a job's history, as the event stream brings it. */
export type JobEvent = TraceEntry & {
  /** Position in the history: give it as `after` to go on behind it. */
  readonly eventId: string;
};

/** A part of a list. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** Where the next part begins; absent at the end. A part may be empty and yet have one. */
  readonly next?: string;
}

/** A job that has failed and lies in the dead-letter queue. */
export type DeadLetter = DeadLetterRepresentation;

/** A dead letter with its job, and where the input is kept. */
export type DeadLetterDetail = WireDeadLetterDetail;

/** A job that does not go on, and why. */
export type StalledJob = StalledJobRepresentation;

/** What one request of a redrive came to. While there is `more`, send the ids without an outcome, or `all` with `next` as `cursor`. */
export type RedriveAnswer = RedriveRepresentation;

/** What became of one job of a redrive. */
export type RedriveOutcome = RedriveAnswer['outcomes'][number];

/** One notification of a job, with what came of each try to deliver it. */
export type Delivery = DeliveryRepresentation;

/** A job that is submitted again and again, with its next and its last run. */
export type Schedule = ScheduleRepresentation;

/** What a tenant used in a month. */
export interface Usage {
  /** `YYYY-MM` */
  readonly month: string;
  readonly jobs: {
    readonly succeeded: number;
    readonly failed: number;
    readonly cancelled: number;
  };
  readonly steps: number;
}

/** Payload of a webhook: the job as it was; a large result is left out. */
export type JobWebhook = Webhook;

const FINAL: ReadonlySet<string> = new Set(['succeeded', 'failed', 'cancelled']);

/** Whether a job has ended, and changes no more unless it is retried. */
export function isFinal(job: { readonly status: JobStatus }): boolean {
  return FINAL.has(job.status);
}
