import type { JobRepresentation } from '../../src/protocol/job.ts';
import type { HttpResponse } from './http-response.ts';

/** 202 for a job that was made, or had been made by the same request before. */
export function acceptedAnswer(job: JobRepresentation, replayed: boolean): HttpResponse {
  return {
    status: 202,
    body: job,
    headers: {
      location: job.links.self,
      'retry-after': '1',
      ...(replayed && { 'idempotent-replayed': 'true' }),
    },
  };
}
