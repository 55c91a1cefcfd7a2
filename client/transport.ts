import type { ClientOptions } from './client-options.ts';
import { type Delay, delay } from './delay.ts';
import { LonghaulError } from './errors.ts';
import { failedAnswer } from './failed-answer.ts';
import { NOT_JSON, parsedJson } from './parsed-json.ts';
import { DEFAULT_RETRY, type RetryPolicy, withRetries } from './retry-policy.ts';

/** What a test replaces. */
export interface TransportClock {
  readonly delay: Delay;
  readonly random: () => number;
}

export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** Below the stage, its parameters encoded. */
  readonly path: string;
  /** Entries that are undefined are left out. */
  readonly query?: Readonly<Record<string, string | number | undefined>>;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  readonly signal?: AbortSignal | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: unknown;
}

type Fetch = typeof globalThis.fetch;

/** Above the 29 s after which API Gateway answers for a function that does not. */
const TIMEOUT_MS = 35_000;

/** Sends requests, and sends them again where that is safe: every request of this client may be repeated. */
export class Transport {
  readonly clock: TransportClock;
  readonly policy: RetryPolicy;
  /** Without the credential, for what lies elsewhere, such as a presigned URL. */
  readonly fetch: Fetch;
  readonly #baseUrl: string;
  readonly #credential: () => string | Promise<string>;
  readonly #timeoutMs: number;

  constructor(options: ClientOptions, clock: TransportClock = { delay, random: Math.random }) {
    const { baseUrl, apiKey, fetch = globalThis.fetch, retry, timeoutMs = TIMEOUT_MS } = options;
    this.clock = clock;
    this.policy = { ...DEFAULT_RETRY, ...retry };
    // Called bare: browsers refuse a fetch that is called as the method of something else than the window.
    this.fetch = (input, init) => fetch(input, init);
    this.#baseUrl = checkedUrl(baseUrl);
    this.#credential = typeof apiKey === 'string' ? () => apiKey : apiKey;
    this.#timeoutMs = timeoutMs;
  }

  /** The JSON of a success. @throws LonghaulError for any other answer, and when there is none */
  async send(request: ApiRequest): Promise<Answer> {
    const { signal, body } = request;
    // Once, so that every try sends the same bytes.
    const text = body === undefined ? undefined : JSON.stringify(body);
    const retrying = { ...this.clock, policy: this.policy, signal };
    return withRetries(() => this.#try(request, text), retrying);
  }

  /** One try whose answer is a stream, which the caller reads; `request.signal` ends that, too. */
  async open(request: ApiRequest): Promise<Response> {
    // The time limit holds until the headers are there; the stream itself may take as long as it does.
    const limit = new AbortController();
    const init = await this.#initOf(request, limit.signal);
    const timer = setTimeout(() => {
      limit.abort(new DOMException('no answer in time', 'TimeoutError'));
    }, this.#timeoutMs);
    try {
      const response = await this.fetch(this.#urlOf(request), init);
      checkNotRedirected(request, response);
      if (response.ok) {
        checkStream(request, response);
        return response;
      }
      throw failedAnswer(response, parsedJson(await response.text()), nameOf(request));
    } catch (error) {
      throw this.explained(error, request);
    } finally {
      clearTimeout(timer);
    }
  }

  /** What `fetch` throws says little; what the caller's own signal throws is passed on as it is. */
  explained(error: unknown, request: ApiRequest): unknown {
    if (request.signal?.aborted === true) return request.signal.reason;
    if (error instanceof LonghaulError) return error;
    const isLate = (error as { name?: unknown } | null)?.name === 'TimeoutError';
    const reason = isLate ? `no answer within ${this.#timeoutMs} ms` : messageOf(error);
    return new LonghaulError(`${nameOf(request)} failed: ${reason}`, {
      code: isLate ? 'no_answer_in_time' : 'network_error',
      retryable: true,
      cause: error,
    });
  }

  async #try(request: ApiRequest, text: string | undefined): Promise<Answer> {
    const init = await this.#initOf(request, AbortSignal.timeout(this.#timeoutMs), text);
    try {
      const response = await this.fetch(this.#urlOf(request), init);
      checkNotRedirected(request, response);
      const { status, headers, ok } = response;
      const answered = await response.text();
      const body = parsedJson(answered);
      if (!ok && status !== 304) throw failedAnswer(response, body, nameOf(request));
      const isEmpty = body === undefined && status !== 204 && status !== 304;
      if (body === NOT_JSON || isEmpty) throw unexpectedAnswer(request, status, answered);
      return { status, headers, body };
    } catch (error) {
      throw this.explained(error, request);
    }
  }

  async #initOf(
    { method, headers, signal }: ApiRequest,
    limit: AbortSignal,
    text?: string,
  ): Promise<RequestInit> {
    signal?.throwIfAborted();
    const sent = {
      authorization: `Bearer ${await this.#credential()}`,
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...headers,
    };
    checkHeaders(sent);
    return {
      method,
      headers: sent,
      // What follows one sends a GET in place of a POST.
      redirect: 'manual',
      signal: signal === undefined ? limit : AbortSignal.any([signal, limit]),
      ...(text !== undefined && { body: text }),
    };
  }

  #urlOf({ path, query = {} }: ApiRequest): string {
    const url = new URL(`${this.#baseUrl}${path}`);
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) url.searchParams.set(name, String(value));
    }
    return url.href;
  }
}

function checkedUrl(baseUrl: string): string {
  if (!URL.canParse(baseUrl) || !/^https?:/.test(baseUrl)) {
    throw new TypeError(
      `baseUrl is ${JSON.stringify(baseUrl)}: give the URL of the API with its stage, such as https://….execute-api.eu-west-1.amazonaws.com/v1`,
    );
  }
  return baseUrl.replace(/\/+$/, '');
}

/**
 * What `fetch` would refuse as if it were the network. Neither the value nor the reason is told: both may hold the credential.
 * @throws LonghaulError `invalid_header`
 */
function checkHeaders(headers: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(headers)) {
    try {
      new Headers({ [name]: value });
    } catch {
      throw new LonghaulError(
        `the value of the header ${name} cannot be sent: it may have printable ASCII characters only`,
        { code: 'invalid_header' },
      );
    }
  }
}

/** @throws LonghaulError `redirected` */
function checkNotRedirected(request: ApiRequest, { status, type, headers }: Response): void {
  const isRedirect = status >= 300 && status < 400 && status !== 304;
  // Browsers do not show what they were answered.
  if (!isRedirect && type !== 'opaqueredirect') return;
  const to = headers.get('location') ?? 'elsewhere';
  throw new LonghaulError(
    `${nameOf(request)} was redirected to ${to}, and nothing was done: is baseUrl that of the API?`,
    { code: 'redirected', ...(isRedirect && { status }) },
  );
}

/**
 * A page in place of a stream would be taken for one without events, again and again.
 * @throws LonghaulError `unexpected_answer`
 */
function checkStream(request: ApiRequest, { status, headers }: Response): void {
  const type = headers.get('content-type') ?? '';
  if (status === 204 || /^text\/event-stream\b/i.test(type)) return;
  throw unexpectedAnswer(request, status, type);
}

function unexpectedAnswer(request: ApiRequest, status: number, text: string): LonghaulError {
  return new LonghaulError(
    `${nameOf(request)} was answered ${status}, but not with what the API answers: is baseUrl that of the API? ${text.slice(0, 100)}`,
    { code: 'unexpected_answer', status },
  );
}

function nameOf({ method, path }: ApiRequest): string {
  return `${method} ${path}`;
}

/** Node hides the reason behind "fetch failed". */
function messageOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error ? `${error.message}: ${cause.message}` : error.message;
}
