import * as z from 'zod';
import { AppError } from '../errors.ts';

/**
 * The environment of every function. The construct builds it with `environmentOf(schema, values)` and the handler reads
 * it with `readEnvironment(schema)`: a variable the handler needs but the construct does not set is a compile error.
 */

const whole = z.coerce.number().int().positive();
/** Name of the bus that changes of status are put on; without it they are put nowhere. */
const eventBus = z.string().min(1).optional();
/** Origins of web pages that may call the API, separated by blanks; empty: none. */
const corsOrigins = z.string();
/** Lambda's variables are text. */
const flag = z.stringbool({ truthy: ['true'], falsy: ['false'] });

export const submitEnvironment = z.object({
  JOB_TABLE: z.string().min(1),
  IDEMPOTENCY_TABLE: z.string().min(1),
  PAYLOAD_BUCKET: z.string().min(1),
  JOB_QUEUE_URL: z.string().min(1),
  RETENTION_DAYS: whole,
  WEBHOOKS_ALLOW_LOOPBACK: flag,
  CORS_ORIGINS: corsOrigins,
  EVENT_BUS: eventBus,
});

export const apiEnvironment = z.object({
  JOB_TABLE: z.string().min(1),
  IDEMPOTENCY_TABLE: z.string().min(1),
  PAYLOAD_BUCKET: z.string().min(1),
  JOB_QUEUE_URL: z.string().min(1),
  ISOLATION_QUEUE_URL: z.string().min(1),
  DEAD_LETTER_QUEUE_URL: z.string().min(1),
  NOTIFICATION_QUEUE_URL: z.string().min(1),
  CORS_ORIGINS: corsOrigins,
  EVENT_BUS: eventBus,
});

export const schedulesEnvironment = z.object({
  JOB_TABLE: z.string().min(1),
  JOB_QUEUE_URL: z.string().min(1),
  /** For what EventBridge could not start. */
  DEAD_LETTER_QUEUE_ARN: z.string().min(1),
  RETENTION_DAYS: whole,
  WEBHOOKS_ALLOW_LOOPBACK: flag,
  /** Group of EventBridge Scheduler that the triggers are in, and whom they start the function as. */
  SCHEDULE_GROUP: z.string().min(1),
  SCHEDULE_ROLE_ARN: z.string().min(1),
  SCHEDULES_PER_TENANT: z.coerce.number().int().min(0),
  EVENT_BUS: eventBus,
  CORS_ORIGINS: corsOrigins,
});

export const eventsEnvironment = z.object({
  JOB_TABLE: z.string().min(1),
  CORS_ORIGINS: corsOrigins,
});

export const authorizerEnvironment = z.object({
  JOB_TABLE: z.string().min(1),
  /** Requests a second of a tenant whose settings do not say; 0 for no limit. */
  TENANT_REQUESTS_PER_SECOND: z.coerce.number().int().min(0),
  /** Empty: no tokens are taken, and the others say nothing. */
  JWT_ISSUER: z.string(),
  /** Separated by blanks. */
  JWT_AUDIENCE: z.string(),
  /** Empty: by discovery. */
  JWT_JWKS_URL: z.string(),
  JWT_TENANT_CLAIM: z.string(),
  JWT_SCOPE_CLAIM: z.string(),
  /** `theirs=ours`, separated by blanks. */
  JWT_SCOPE_MAP: z.string(),
  JWT_ALLOW_LOOPBACK: flag,
});

export const workerEnvironment = z.object({
  JOB_TABLE: z.string().min(1),
  PAYLOAD_BUCKET: z.string().min(1),
  JOB_QUEUE_URL: z.string().min(1),
  ISOLATION_QUEUE_URL: z.string().min(1),
  DEAD_LETTER_QUEUE_URL: z.string().min(1),
  NOTIFICATION_QUEUE_URL: z.string().min(1),
  LEASE_SECONDS: whole,
  SUB_JOBS_MAX_DEPTH: whole,
  SUB_JOBS_MAX_PER_JOB: whole,
  EVENT_BUS: eventBus,
});

export const sweeperEnvironment = z.object({
  JOB_TABLE: z.string().min(1),
  JOB_QUEUE_URL: z.string().min(1),
  ISOLATION_QUEUE_URL: z.string().min(1),
  DEAD_LETTER_QUEUE_URL: z.string().min(1),
  NOTIFICATION_QUEUE_URL: z.string().min(1),
  /** How often the sweeper looks within its minute. */
  SWEEP_INTERVAL_SECONDS: whole,
  /** Another one after each deploy that changes a function. */
  DEPLOYMENT: z.string().min(1),
  QUIET_AFTER_DEPLOY_MINUTES: z.coerce.number().int().nonnegative(),
  EVENT_BUS: eventBus,
});

export const notifierEnvironment = z.object({
  JOB_TABLE: z.string().min(1),
  NOTIFICATION_QUEUE_URL: z.string().min(1),
  UNDELIVERED_QUEUE_URL: z.string().min(1),
  WEBHOOKS_FIRST_RETRY_SECONDS: whole,
  WEBHOOKS_GIVE_UP_HOURS: whole,
  WEBHOOKS_ALLOW_LOOPBACK: flag,
});

type Environment = z.ZodObject<Record<string, z.ZodType>>;

/** Variables for a Lambda function, one string each. */
export function environmentOf<Schema extends Environment>(
  _schema: Schema,
  values: z.output<Schema>,
): Record<string, string> {
  const given = Object.entries(values).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given.map(([name, value]) => [name, String(value)]));
}

/**
 * The typed environment of a handler.
 * @throws AppError `internal_error` naming each variable that is missing or wrong.
 */
export function readEnvironment<Schema extends Environment>(
  schema: Schema,
  variables: Readonly<Record<string, string | undefined>>,
): z.output<Schema> {
  const parsed = schema.safeParse(variables);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new AppError(`environment variables are missing or wrong: ${faults.join('; ')}`, {
    code: 'internal_error',
    details: { faults },
  });
}
