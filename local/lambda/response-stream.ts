import { Writable } from 'node:stream';

/** Between the metadata and the body of a streamed HTTP response. */
export const METADATA_DELIMITER = Buffer.alloc(8);

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** The stream a handler of `awslambda.streamifyResponse` writes its answer to. */
export class ResponseStream extends Writable {
  readonly #send: (chunk: Buffer) => void;
  #metadata: string | undefined;

  constructor(send: (chunk: Buffer) => void) {
    super();
    this.#send = send;
  }

  /** The gateway reads the content type from the metadata, so this has no effect. */
  setContentType(_contentType: string): void {}

  /** To be sent before the first byte of the body, or at the end when there is none. */
  setMetadata(metadata: unknown): void {
    this.#metadata = JSON.stringify(metadata);
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#sendMetadata();
    this.#send(chunk);
    done();
  }

  override _final(done: () => void): void {
    this.#sendMetadata();
    done();
  }

  #sendMetadata(): void {
    if (this.#metadata === undefined) return;
    this.#send(Buffer.concat([Buffer.from(this.#metadata), METADATA_DELIMITER]));
    this.#metadata = undefined;
  }
}

/** `globalThis.awslambda` of the Node runtime. */
export const awslambda = {
  streamifyResponse: <Handler extends object>(handler: Handler): Handler =>
    Object.assign(handler, { [STREAMING]: 'response' }),
  HttpResponseStream: {
    from: (stream: ResponseStream, metadata: unknown): ResponseStream => {
      stream.setMetadata(metadata);
      return stream;
    },
  },
};

export const isStreaming = (handler: object): boolean =>
  (handler as Record<symbol, unknown>)[STREAMING] === 'response';
