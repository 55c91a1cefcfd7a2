import type { JobRepresentation } from '../../src/protocol/job.ts';
import type { HttpResponse } from './http-response.ts';

/** 202 for a job that was made, or had been made by the same request before. */
export function acceptedAnswer(job: JobRepresentation, replayed: boolean): HttpResponse {
  return { status: 202, body: job, headers: { ...headersOf(job, replayed), 'retry-after': '1' } };
}

/** 200 for one that has ended while its caller waited. */
export function endedAnswer(job: JobRepresentation, replayed: boolean): HttpResponse {
  return { status: 200, body: job, headers: headersOf(job, replayed) };
}

function headersOf(job: JobRepresentation, replayed: boolean): Record<string, string> {
  return { location: job.links.self, ...(replayed && { 'idempotent-replayed': 'true' }) };
}
