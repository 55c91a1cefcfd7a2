export {
  forkRequestSchema,
  noFieldsSchema,
  retryRequestSchema,
  signalNameSchema,
  type ForkRequest,
  type RetryRequest,
} from './command-requests.ts';
export {
  deliveriesSchema,
  deliverySchema,
  jobEventSchema,
  type DeliveryRepresentation,
} from './delivery.ts';
export {
  deadLetterDetailSchema,
  deadLetterListSchema,
  deadLetterSchema,
  listDeadLettersQuerySchema,
  redriveRequestSchema,
  redriveSchema,
  type DeadLetterDetail,
  type DeadLetterListRepresentation,
  type DeadLetterRepresentation,
  type RedriveRepresentation,
  type RedriveRequest,
} from './dead-letters.ts';
export {
  errorCauseSchema,
  jobErrorSchema,
  jobSchema,
  jobStatusSchema,
  type ErrorCause,
  type JobErrorRepresentation,
  type JobRepresentation,
} from './job.ts';
export {
  jobListSchema,
  listJobsQuerySchema,
  type JobListRepresentation,
  type ListJobsQuery,
} from './job-list.ts';
export {
  LIMITS,
  RESULT_URL_SECONDS,
  TRACE_OUTCOME_BYTES,
  UPLOAD_DAYS,
  UPLOAD_URL_SECONDS,
} from './limits.ts';
export { notifyEventSchema, notifySchema, type Notify } from './notify.ts';
export {
  faultSchema,
  PROBLEM_MEDIA_TYPE,
  problemSchema,
  problemType,
  type Fault,
  type Problem,
} from './problem.ts';
export { OPERATIONS, problemCodesOf } from './operations.ts';
export type { Answer, Example, Operation, RequestBody } from './operation.ts';
export { type ProblemCode, PROBLEMS } from './problems.ts';
export { ROUTES, SCOPES, STAGE, type OperationId, type Route, type Scope } from './routes.ts';
export {
  scheduleListSchema,
  scheduleNameSchema,
  scheduleRequestSchema,
  scheduleRunSchema,
  scheduleSchema,
  type ScheduleListRepresentation,
  type ScheduleRepresentation,
  type ScheduleRequest,
  type ScheduleRunRepresentation,
} from './schedule.ts';
export {
  stalledJobListSchema,
  stalledJobSchema,
  stalledJobsQuerySchema,
  type StalledJobListRepresentation,
  type StalledJobRepresentation,
} from './stalled-jobs.ts';
export { annotationBytes, submitRequestSchema, type SubmitRequest } from './submit-request.ts';
export {
  traceEntrySchema,
  traceSchema,
  type TraceEntry,
  type TraceRepresentation,
} from './trace.ts';
export {
  inputRefSchema,
  uploadRequestSchema,
  uploadSchema,
  type InputRef,
  type UploadRepresentation,
  type UploadRequest,
} from './upload.ts';
export { webhookSchema, type Webhook } from './webhook.ts';
