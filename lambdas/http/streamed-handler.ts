import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { FlushableTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import type { Clock } from '../../src/core/ports/clock.ts';
import { allowOrigin } from './cors.ts';
import { failureResult, type HttpRequest } from './http-handler.ts';
import { REQUEST_ID_HEADER } from './http-response.ts';
import { requestIdOf, requestLine } from './request.ts';
import { type ResponseStream, StreamOutput } from './stream-output.ts';

/** An answer whose body, if it has one, is written as it comes about. */
export interface StreamedAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly stream?: (output: StreamOutput) => Promise<void>;
}

export type ServeStream = (request: HttpRequest) => Promise<StreamedAnswer>;

export type StreamedHandler = (
  event: APIGatewayProxyEvent,
  stream: ResponseStream,
  context: Pick<Context, 'getRemainingTimeInMillis'>,
) => Promise<void>;

/** Status and headers, as API Gateway expects them before the first byte of a streamed body. */
export interface ResponseHead {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string | number | boolean>>;
}

export interface StreamedHandlerDeps {
  readonly telemetry: FlushableTelemetry;
  readonly clock: Pick<Clock, 'now' | 'setTimer'>;
  /** Lets the head precede the first write. */
  readonly withHead: (stream: ResponseStream, head: ResponseHead) => ResponseStream;
  /** Origins of web pages that may read the answers. */
  readonly origins: readonly string[];
}

/** What `httpHandler` is for answers at once, for streams: refusals are the same problems. */
export function streamedHandler(deps: StreamedHandlerDeps, serve: ServeStream): StreamedHandler {
  const { telemetry } = deps;
  return async (event, stream, context) => {
    const requestId = requestIdOf(event);
    const { notes, note } = requestLine(event);
    const answer = await telemetry.during({ requestId }, () => answerTo({ event, context, note }));
    note({ status: answer.status });
    const output = begin(deps, stream, answer, event);
    // A runtime that is given an end without a write sends no head.
    await output.write('');
    try {
      await telemetry.during({ requestId }, async () => answer.stream?.(output));
    } catch (error) {
      // The status is out: all that can be done is to end the stream, and the client goes on where it was.
      telemetry.log('error', 'stream failed', { requestId, error });
    }
    output.end();
    telemetry.log('info', 'request', notes);
    telemetry.flush();
  };

  async function answerTo(request: HttpRequest): Promise<StreamedAnswer> {
    try {
      return await serve(request);
    } catch (error) {
      const requestId = requestIdOf(request.event);
      const { note } = request;
      const { statusCode, headers, body } = failureResult(error, requestId, { telemetry, note });
      return {
        status: statusCode,
        headers: headers as StreamedAnswer['headers'],
        stream: (output) => output.write(body),
      };
    }
  }
}

function begin(
  { withHead, clock, origins }: StreamedHandlerDeps,
  stream: ResponseStream,
  { status, headers }: StreamedAnswer,
  event: APIGatewayProxyEvent,
): StreamOutput {
  const head = {
    statusCode: status,
    headers: allowOrigin(origins, event, {
      'cache-control': 'no-store',
      ...headers,
      [REQUEST_ID_HEADER]: requestIdOf(event),
    }),
  };
  return new StreamOutput(withHead(stream, head), clock);
}
