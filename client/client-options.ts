import type { RetryOptions } from './retry-policy.ts';

/** Gives the credential of each request: an API key, or a JWT that may have been renewed since the last. */
export type TokenProvider = () => string | Promise<string>;

/** What a client is made of. */
export interface ClientOptions {
  /** Where the API is, stage included: `https://….execute-api.eu-west-1.amazonaws.com/v1`. */
  readonly baseUrl: string;
  /** An API key (`lh_…`), or what gives a key or JWT for each request. */
  readonly apiKey: string | TokenProvider;
  /** @default - the global `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** @default - 6 tries of each request, over at least 8 s */
  readonly retry?: RetryOptions;
  /** After how long a try without an answer is given up. @default 35000 */
  readonly timeoutMs?: number;
}
