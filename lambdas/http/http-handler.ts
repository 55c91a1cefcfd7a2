import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { FlushableTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import { type HttpResponse, jsonResult, problemResult } from './http-response.ts';
import { isTransient } from './is-transient.ts';
import { requestIdOf, requestLine } from './request.ts';
import { RequestRefused } from './request-refused.ts';

/** What a route knows of its request. `note` adds facts to the request's log line. */
export interface HttpRequest {
  readonly event: APIGatewayProxyEvent;
  readonly context: Pick<Context, 'getRemainingTimeInMillis'>;
  readonly note: (fields: Readonly<Record<string, unknown>>) => void;
}

export type Serve = (request: HttpRequest) => Promise<HttpResponse> | HttpResponse;

export type HttpHandler = (
  event: APIGatewayProxyEvent,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<APIGatewayProxyResult>;

/** Wraps a route: whatever happens, the caller gets JSON with a request id, and the logs get one line with the same id. */
export function httpHandler(telemetry: FlushableTelemetry, serve: Serve): HttpHandler {
  return async (event, context) => {
    const requestId = requestIdOf(event);
    const { notes, note } = requestLine(event);
    const result = await telemetry.during({ requestId }, answer);
    telemetry.log('info', 'request', { ...notes, status: result.statusCode });
    telemetry.flush();
    return result;

    async function answer(): Promise<APIGatewayProxyResult> {
      try {
        return jsonResult(await serve({ event, context, note }), requestId);
      } catch (error) {
        return failureResult(error, requestId, { telemetry, note });
      }
    }
  };
}

/** The problem that a failed request is answered with. */
export function failureResult(
  error: unknown,
  requestId: string,
  { telemetry, note }: { telemetry: Pick<FlushableTelemetry, 'log'>; note: HttpRequest['note'] },
): APIGatewayProxyResult {
  if (error instanceof RequestRefused) {
    note({ code: error.code });
    return problemResult({ ...error.facts, code: error.code, detail: error.message }, requestId);
  }
  const code = isTransient(error) ? 'unavailable' : 'internal_error';
  note({ code });
  telemetry.log('error', 'request failed', { requestId, error });
  return code === 'unavailable'
    ? problemResult(
        {
          code,
          detail: 'a service this depends on is busy: try again',
          headers: { 'retry-after': '2' },
        },
        requestId,
      )
    : problemResult({ code, detail: 'the logs have more under the requestId' }, requestId);
}
