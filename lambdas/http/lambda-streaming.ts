import type { ResponseHead, StreamedHandler } from './streamed-handler.ts';
import type { ResponseStream } from './stream-output.ts';

/** What the Node runtime of Lambda puts into the global scope. */
declare const awslambda: {
  streamifyResponse(handler: StreamedHandler): StreamedHandler;
  readonly HttpResponseStream: {
    from(stream: ResponseStream, head: ResponseHead): ResponseStream;
  };
};

/** A handler in the form by which Lambda knows that it streams. */
export const streamified = (handler: StreamedHandler): StreamedHandler =>
  awslambda.streamifyResponse(handler);

export const withHead = (stream: ResponseStream, head: ResponseHead): ResponseStream =>
  awslambda.HttpResponseStream.from(stream, head);
