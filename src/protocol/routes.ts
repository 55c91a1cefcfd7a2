/** Scopes an API key may hold. */
export const SCOPES = ['jobs:read', 'jobs:write', 'ops'] as const;
/** What a caller may do. */
export type Scope = (typeof SCOPES)[number];

/** One route of the API. */
export interface Route {
  /** Unique; OpenAPI's `operationId` and the client's method. */
  readonly operationId: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the stage, in API Gateway's notation: `/jobs/{jobId}`. */
  readonly path: string;
  /** The function that serves it. */
  readonly servedBy: 'submit' | 'api' | 'events' | 'schedules';
  /** Scope the caller needs; undefined means the route is open to anybody. */
  readonly scope?: Scope;
  readonly summary: string;
  /** Whether it takes query parameters. To a route that takes none, and is not open, any is an error of the caller. */
  readonly hasQuery?: true;
}

/** Stage of the REST API; every path below starts after it. */
export const STAGE = 'v1';

/**
 * Every route there is. API Gateway's resources, the router and the contract tests derive from this table.
 */
export const ROUTES = [
  {
    operationId: 'submitJob',
    method: 'POST',
    path: '/jobs',
    servedBy: 'submit',
    scope: 'jobs:write',
    summary: 'Accepts a job and answers 202 with its id at once',
  },
  {
    operationId: 'submitBatch',
    method: 'POST',
    path: '/jobs/batch',
    servedBy: 'submit',
    scope: 'jobs:write',
    summary: 'Accepts up to 100 jobs with one request, each with an outcome of its own',
  },
  {
    operationId: 'listJobs',
    method: 'GET',
    path: '/jobs',
    servedBy: 'api',
    scope: 'jobs:read',
    summary: 'Jobs of the tenant, newest first, by status, agent, tag and time',
    hasQuery: true,
  },
  {
    operationId: 'getJob',
    method: 'GET',
    path: '/jobs/{jobId}',
    servedBy: 'api',
    scope: 'jobs:read',
    summary: 'Status, progress, result or error of a job',
  },
  {
    operationId: 'getTrace',
    method: 'GET',
    path: '/jobs/{jobId}/trace',
    servedBy: 'api',
    scope: 'jobs:read',
    summary: 'What happened in a job, in order',
    hasQuery: true,
  },
  {
    operationId: 'followJob',
    method: 'GET',
    path: '/jobs/{jobId}/events',
    servedBy: 'events',
    scope: 'jobs:read',
    summary: 'What happens in a job, while it happens, as server-sent events',
    hasQuery: true,
  },
  {
    operationId: 'cancelJob',
    method: 'POST',
    path: '/jobs/{jobId}/cancel',
    servedBy: 'api',
    scope: 'jobs:write',
    summary: 'Ends a job: its running step is told, its clean-up runs, its sub-jobs end with it',
  },
  {
    operationId: 'pauseJob',
    method: 'POST',
    path: '/jobs/{jobId}/pause',
    servedBy: 'api',
    scope: 'jobs:write',
    summary: 'Holds a job at its next step boundary until it is resumed',
  },
  {
    operationId: 'resumeJob',
    method: 'POST',
    path: '/jobs/{jobId}/resume',
    servedBy: 'api',
    scope: 'jobs:write',
    summary: 'Lets a paused job go on',
  },
  {
    operationId: 'retryJob',
    method: 'POST',
    path: '/jobs/{jobId}/retry',
    servedBy: 'api',
    scope: 'jobs:write',
    summary: 'Restarts a failed or cancelled job from where it stopped, or from a step',
  },
  {
    operationId: 'forkJob',
    method: 'POST',
    path: '/jobs/{jobId}/fork',
    servedBy: 'api',
    scope: 'jobs:write',
    summary: 'Makes a new job of a succeeded one, which goes on from a step',
  },
  {
    operationId: 'signalJob',
    method: 'POST',
    path: '/jobs/{jobId}/signals/{name}',
    servedBy: 'api',
    scope: 'jobs:write',
    summary: 'Gives a job what it waits for, or is going to wait for',
  },
  {
    operationId: 'createUpload',
    method: 'POST',
    path: '/uploads',
    servedBy: 'api',
    scope: 'jobs:write',
    summary: 'Gives an address to which a large input can be uploaded',
  },
  {
    operationId: 'listDeliveries',
    method: 'GET',
    path: '/jobs/{jobId}/deliveries',
    servedBy: 'api',
    scope: 'jobs:read',
    summary: 'Notifications of a job, with every try',
  },
  {
    operationId: 'resendDelivery',
    method: 'POST',
    path: '/jobs/{jobId}/deliveries/{deliveryId}/resend',
    servedBy: 'api',
    scope: 'jobs:write',
    summary: 'Sends a notification again, under the same id',
  },
  {
    operationId: 'putSchedule',
    method: 'PUT',
    path: '/schedules/{name}',
    servedBy: 'schedules',
    scope: 'jobs:write',
    summary: 'Makes a schedule that submits a job again and again, or changes it',
  },
  {
    operationId: 'listSchedules',
    method: 'GET',
    path: '/schedules',
    servedBy: 'schedules',
    scope: 'jobs:read',
    summary: 'Schedules of the tenant, with their next and last runs',
  },
  {
    operationId: 'getSchedule',
    method: 'GET',
    path: '/schedules/{name}',
    servedBy: 'schedules',
    scope: 'jobs:read',
    summary: 'A schedule with its input, its next and its last run',
  },
  {
    operationId: 'deleteSchedule',
    method: 'DELETE',
    path: '/schedules/{name}',
    servedBy: 'schedules',
    scope: 'jobs:write',
    summary: 'Ends a schedule',
  },
  {
    operationId: 'pauseSchedule',
    method: 'POST',
    path: '/schedules/{name}/pause',
    servedBy: 'schedules',
    scope: 'jobs:write',
    summary: 'Holds a schedule until it is resumed',
  },
  {
    operationId: 'resumeSchedule',
    method: 'POST',
    path: '/schedules/{name}/resume',
    servedBy: 'schedules',
    scope: 'jobs:write',
    summary: 'Lets a paused schedule go on',
  },
  {
    operationId: 'listDeadLetters',
    method: 'GET',
    path: '/dead-letters',
    servedBy: 'api',
    scope: 'ops',
    summary: 'Jobs that were given up, newest first',
    hasQuery: true,
  },
  {
    operationId: 'getDeadLetter',
    method: 'GET',
    path: '/dead-letters/{jobId}',
    servedBy: 'api',
    scope: 'ops',
    summary: 'A job that was given up, and where to look for the reason',
  },
  {
    operationId: 'redriveDeadLetters',
    method: 'POST',
    path: '/dead-letters/redrive',
    servedBy: 'api',
    scope: 'ops',
    summary: 'Restarts some or all jobs that were given up',
  },
  {
    operationId: 'listStalledJobs',
    method: 'GET',
    path: '/stalled-jobs',
    servedBy: 'api',
    scope: 'ops',
    summary: 'Jobs that are overdue or wait for long, with the reason in words',
    hasQuery: true,
  },
  {
    operationId: 'getUsage',
    method: 'GET',
    path: '/usage',
    servedBy: 'api',
    scope: 'jobs:read',
    summary: 'What the jobs of the tenant came to in a month',
    hasQuery: true,
  },
  {
    operationId: 'getHealth',
    method: 'GET',
    path: '/healthz',
    servedBy: 'api',
    summary: 'Whether the API answers',
  },
  {
    operationId: 'getOpenapi',
    method: 'GET',
    path: '/openapi.json',
    servedBy: 'api',
    summary: 'This API as an OpenAPI 3.1 document',
  },
] as const satisfies readonly Route[];

/** Names of the routes. */
export type OperationId = (typeof ROUTES)[number]['operationId'];
