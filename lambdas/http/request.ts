import type { APIGatewayProxyEvent } from 'aws-lambda';
import { parseTraceparent, type TraceContext } from '../../src/core/trace/trace-context.ts';

/** Every value of a header, whatever case its name was sent in. */
export function headerValues(event: APIGatewayProxyEvent, name: string): string[] {
  const named = (headers: object | null) =>
    Object.entries(headers ?? {})
      .filter(([key]) => key.toLowerCase() === name)
      .flatMap(([, values]) => values as string | string[] | undefined)
      .filter((value) => value !== undefined);
  const all = named(event.multiValueHeaders);
  return all.length > 0 ? all : named(event.headers);
}

/** API Gateway's id of the request: its own refusals and access logs carry the same. */
export function requestIdOf(event: APIGatewayProxyEvent): string {
  return event.requestContext.requestId;
}

/** The log line of a request: what is known of it at once, and `note` to add to it. */
export function requestLine(event: APIGatewayProxyEvent) {
  const notes: Record<string, unknown> = {
    requestId: requestIdOf(event),
    method: event.httpMethod,
    resource: event.resource,
  };
  const note = (fields: Readonly<Record<string, unknown>>): void => {
    Object.assign(notes, fields);
  };
  return { notes, note };
}

/** Paths of jobs for links: with the stage or base path the request came through. */
export function pathsOf(event: APIGatewayProxyEvent): (jobId: string) => string {
  const base = basePathOf(event);
  return (jobId) => `${base}/jobs/${jobId}`;
}

/** Stage or base path the request came through, such as `/v1`; no slash at the end. */
export function basePathOf(event: APIGatewayProxyEvent): string {
  const { path } = event.requestContext;
  // What follows the stage is the resource, so many segments long.
  const below = event.resource.split('/').length - 1;
  return path.replace(/\/+$/, '').split('/').slice(0, -below).join('/');
}

/** The caller's span by its header `traceparent`; one that is not well-formed is left out, as its specification asks. */
export function callerSpanOf(event: APIGatewayProxyEvent): TraceContext | undefined {
  const [value, ...others] = headerValues(event, 'traceparent');
  return others.length > 0 ? undefined : parseTraceparent(value);
}
