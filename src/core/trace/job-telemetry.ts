import type { Job } from '../job/job.ts';
import type { LogFields, Telemetry } from '../ports/telemetry.ts';
import { traceIdOf } from './trace-context.ts';

/** By which every log line of a job can be found. */
export function jobFields(
  job: Pick<Job, 'jobId' | 'tenantId' | 'agent' | 'epoch' | 'traceparent'>,
): LogFields {
  const { jobId, tenantId, agent, epoch: attempt } = job;
  return { jobId, tenantId, agent, attempt, traceId: traceIdOf(job) };
}

/** Writes the fields into each log line, below the line's own. */
export function withFields<Deps extends { readonly telemetry: Telemetry }>(
  deps: Deps,
  fields: LogFields,
): Deps {
  const { telemetry } = deps;
  return {
    ...deps,
    telemetry: {
      log: (level, message, own = {}) => {
        telemetry.log(level, message, { ...fields, ...own });
      },
      count: (...metric) => {
        telemetry.count(...metric);
      },
      measure: (...metric) => {
        telemetry.measure(...metric);
      },
    } satisfies Telemetry,
  };
}
