import type { Downstream, StoredError } from './job.ts';

type Fields = Readonly<Record<string, unknown>>;

const REQUEST_ID = /^[\w.:=/+-]{1,128}$/;

/** What a service answered, by the names that SDKs and HTTP clients give it; of bodies and headers nothing. */
export function downstreamOf(thrown: unknown): Downstream | undefined {
  const error = fieldsOf(thrown);
  const aws = fieldsOf(error['$metadata']);
  const response = fieldsOf(error['response']);
  const status = [
    aws['httpStatusCode'],
    error['statusCode'],
    error['status'],
    response['status'],
  ].find(isStatus);
  if (status === undefined) return undefined;
  const requestId = [
    aws['requestId'],
    error['requestId'],
    error['requestID'],
    error['request_id'],
  ].find((id): id is string => typeof id === 'string' && REQUEST_ID.test(id));
  return { status, ...(requestId !== undefined && { requestId }) };
}

/** The answer that an error or its causes carry. */
export function downstreamIn(error: StoredError | undefined): Downstream | undefined {
  return error?.downstream ?? (error?.cause && downstreamIn(error.cause));
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}
