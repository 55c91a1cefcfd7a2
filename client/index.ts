export {
  isFinal,
  type BatchOutcome,
  type DeadLetter,
  type DeadLetterDetail,
  type Delivery,
  type Job,
  type JobEvent,
  type JobStatus,
  type JobWebhook,
  type Page,
  type Problem,
  type RedriveAnswer,
  type RedriveOutcome,
  type Schedule,
  type StalledJob,
  type SubmittedJob,
  type TraceEntry,
  type Usage,
} from './answers.ts';
export { LonghaulClient } from './client.ts';
export type { ClientOptions, TokenProvider } from './client-options.ts';
export {
  JobCancelledError,
  JobFailedError,
  LonghaulError,
  WaitTimeoutError,
  WebhookVerificationError,
  type LonghaulErrorOptions,
} from './errors.ts';
export type {
  DeadLetterFilter,
  EventsOptions,
  ForkCommand,
  JobFilter,
  PageOptions,
  RedriveSelection,
  RequestOptions,
  RetryCommand,
  SignalOptions,
  StalledJobFilter,
  WaitOptions,
} from './requests.ts';
export type { RetryOptions } from './retry-policy.ts';
export type { AskedSchedule } from './schedule.ts';
export type { InputRef, JobLimits, Notify, Submission, SubmitOptions } from './submission.ts';
export {
  verifyWebhook,
  type VerifiedWebhook,
  type VerifyWebhookOptions,
  type WebhookHeaders,
} from './verify-webhook.ts';
