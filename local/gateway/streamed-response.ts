import type { ServerResponse } from 'node:http';
import { METADATA_DELIMITER } from '../lambda/response-stream.ts';
import { responseHead } from './proxy-response.ts';

type Headers = Readonly<Record<string, string>>;

/** Passes the chunks of a streaming function on: first its metadata as status and headers, then the body as it comes. */
export class StreamedResponse {
  readonly #response: ServerResponse;
  readonly #headers: Headers;
  #waiting: Buffer | undefined = Buffer.alloc(0);
  #bodyBytes = 0;
  readonly #abandoned = new AbortController();

  constructor(response: ServerResponse, headers: Headers) {
    this.#response = response;
    this.#headers = headers;
    response.once('close', () => {
      this.#abandoned.abort();
    });
  }

  /** Aborted when the client is gone. */
  get abandoned(): AbortSignal {
    return this.#abandoned.signal;
  }

  /** Whether the client has been told a status, so that no other answer can be given. */
  get begun(): boolean {
    return this.#waiting === undefined;
  }

  /** Bytes of the body so far. */
  get bodyBytes(): number {
    return this.#bodyBytes;
  }

  /** Resolves when the client has room for more, or is gone. */
  async write(chunk: Uint8Array): Promise<void> {
    if (this.#response.destroyed) return;
    if (this.#waiting === undefined) {
      await this.#pass(chunk);
      return;
    }
    this.#waiting = Buffer.concat([this.#waiting, chunk]);
    const at = this.#waiting.indexOf(METADATA_DELIMITER);
    if (at < 0) return;
    const head = parseHead(this.#waiting.subarray(0, at).toString());
    if (!head) return;
    const rest = this.#waiting.subarray(at + METADATA_DELIMITER.length);
    this.#waiting = undefined;
    this.#response.writeHead(head.status, { ...head.headers, ...this.#headers } as Headers);
    this.#response.flushHeaders();
    if (rest.length > 0) await this.#pass(rest);
  }

  async #pass(chunk: Uint8Array): Promise<void> {
    this.#bodyBytes += chunk.length;
    if (this.#response.write(chunk)) return;
    const { promise, resolve } = Promise.withResolvers<undefined>();
    const go = (): void => {
      resolve(undefined);
    };
    this.#response.once('drain', go).once('close', go);
    await promise;
    this.#response.off('drain', go).off('close', go);
  }

  /** Ends a response that has begun; one that broke off is cut, so that the client notices. */
  end(complete: boolean): void {
    if (complete) this.#response.end();
    else this.#response.destroy();
  }
}

function parseHead(metadata: string) {
  try {
    return responseHead(JSON.parse(metadata) as Record<string, unknown>);
  } catch {
    return undefined;
  }
}
