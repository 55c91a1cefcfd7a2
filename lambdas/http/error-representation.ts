import type { JobError, StoredError } from '../../src/core/job/job.ts';
import type { ErrorCause, JobErrorRepresentation } from '../../src/protocol/job.ts';

/** ISO 8601, as every instant on the wire. */
export function instant(epochMs: number): string {
  return new Date(epochMs).toISOString();
}

/** An error without its stack: where the agent's code lies is not for its callers. */
export function errorRepresentation(error: StoredError): ErrorCause {
  const { name, message, code, details, cause } = error;
  return {
    name,
    message,
    ...(code !== undefined && { code }),
    ...(details !== undefined && { details }),
    ...(cause !== undefined && { cause: errorRepresentation(cause) }),
  };
}

/** What ended a failed job, down to the error of the step. */
export function jobErrorRepresentation({ cause, ...error }: JobError): JobErrorRepresentation {
  return { ...error, ...(cause !== undefined && { cause: errorRepresentation(cause) }) };
}
