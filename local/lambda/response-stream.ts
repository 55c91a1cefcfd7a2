import { Writable } from 'node:stream';

/** Between the metadata and the body of a streamed HTTP response. */
export const METADATA_DELIMITER = Buffer.alloc(8);

const STREAMING = Symbol.for('aws.lambda.runtime.handler.streaming');

/** The stream a handler of `awslambda.streamifyResponse` writes its answer to. */
export class ResponseStream extends Writable {
  readonly #send: (chunk: Buffer, taken: () => void) => void;
  #metadata: string | undefined;
  #isHeadDue = false;

  /** `send` calls back when the next piece may follow. */
  constructor(send: (chunk: Buffer, taken: () => void) => void) {
    super();
    this.#send = send;
  }

  /** The gateway reads the content type from the metadata, so this has no effect. */
  setContentType(_contentType: string): void {}

  setMetadata(metadata: unknown): void {
    this.#metadata = JSON.stringify(metadata);
  }

  /** As in the runtime of Lambda the metadata goes with the first `write`, of an empty text if need be; `end` alone sends none. */
  override write(...args: unknown[]): boolean {
    this.#isHeadDue = true;
    return super.write(...(args as [unknown]));
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    const head = this.#isHeadDue ? this.#head() : [];
    this.#send(Buffer.concat([...head, chunk]), done);
  }

  #head(): Buffer[] {
    const metadata = this.#metadata;
    this.#metadata = undefined;
    return metadata === undefined ? [] : [Buffer.from(metadata), METADATA_DELIMITER];
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
