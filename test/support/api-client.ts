import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as delay } from 'node:timers/promises';
import { type JobRepresentation, jobSchema } from '../../src/protocol/job.ts';
import { jobListSchema } from '../../src/protocol/job-list.ts';
import { type Problem, problemSchema } from '../../src/protocol/problem.ts';
import { type TraceEntry, traceSchema } from '../../src/protocol/trace.ts';
import { exchangeFaults } from './contract/exchange-faults.ts';
import type { Target } from './target.ts';
import { JOB_ENDS_WITHIN_MS } from './where.ts';

export interface ApiRequest {
  readonly method?: string;
  /** `null`: no key is sent. */
  readonly key?: string | null;
  /** Several values are sent as several headers; bytes above 127 as they are. */
  readonly headers?: Readonly<Record<string, string | readonly string[]>>;
  /** An object is sent as JSON, text and bytes as they are. */
  readonly body?: unknown;
}

export interface ApiResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

const REQUEST_LIMIT_MS = 30_000;
const FINAL = ['succeeded', 'failed', 'cancelled'];

/** What it takes to reach an API. */
interface Reached extends Pick<Target, 'apiUrl'> {
  readonly keys: Pick<Target['keys'], 'acme'>;
}

/** Talks to the API as a client does, down to headers that `fetch` would not send. */
export class ApiClient {
  readonly #target: Reached;
  readonly #key: string;

  /** `key` is sent where a request names none. */
  constructor(target: Reached, key = target.keys.acme) {
    this.#target = target;
    this.#key = key;
  }

  async send(path: string, request: ApiRequest = {}): Promise<ApiResponse> {
    const url = new URL(`${this.#target.apiUrl}${path}`);
    const { key = this.#key, method = 'GET', body } = request;
    const bytes = body === undefined ? undefined : bytesOf(body);
    const sent = {
      method,
      headers: {
        ...(key !== null && { authorization: `Bearer ${key}` }),
        ...(bytes !== undefined && {
          'content-type': 'application/json',
          'content-length': String(bytes.byteLength),
        }),
        ...request.headers,
      },
      ...(bytes !== undefined && { bytes }),
    };
    const response = await send(url, sent);
    this.#hold(url, sent, response);
    return response;
  }

  /** Every answer any test gets must be one that the OpenAPI document allows. */
  #hold(url: URL, { method, headers, bytes }: SentBytes, response: ApiResponse): void {
    const base = new URL(this.#target.apiUrl).pathname;
    const path = url.pathname.slice(base.length);
    const text = Buffer.from(bytes ?? '').toString('utf8');
    const request = { method, path, query: url.searchParams, headers, text };
    const faults = exchangeFaults(request, response);
    if (faults.length === 0) return;
    const exchange = `${method} ${path} ${response.status}: ${response.text.slice(0, 500)}`;
    throw new Error(`breaks the OpenAPI document: ${faults.join('; ')}\n${exchange}`);
  }

  async post(body: unknown, request: ApiRequest = {}): Promise<ApiResponse> {
    return this.send('/jobs', { method: 'POST', body, ...request });
  }

  /** Submits a job that is to be accepted. */
  async submit(agent: string, input: unknown, request: ApiRequest = {}): Promise<string> {
    return jobOf(await this.post({ agent, input }, request), 202).jobId;
  }

  async job(jobId: string, request: ApiRequest = {}): Promise<JobRepresentation> {
    return jobOf(await this.send(`/jobs/${jobId}`, request), 200);
  }

  /** The job once it has ended. */
  async finalJob(
    jobId: string,
    { withinMs = JOB_ENDS_WITHIN_MS } = {},
  ): Promise<JobRepresentation> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const job = await this.job(jobId);
      if (FINAL.includes(job.status)) return job;
      if (Date.now() > deadline) {
        throw new Error(`job ${jobId} is still ${job.status} after ${withinMs} ms`);
      }
      await delay(100);
    }
  }

  /** The job once it is as wanted, which it must be before it ends. */
  async jobWhen(
    jobId: string,
    isWanted: (job: JobRepresentation) => boolean,
    { withinMs = JOB_ENDS_WITHIN_MS } = {},
  ): Promise<JobRepresentation> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const job = await this.job(jobId);
      if (isWanted(job)) return job;
      if (FINAL.includes(job.status) || Date.now() > deadline) {
        throw new Error(`job ${jobId} is not as wanted: ${JSON.stringify(job)}`);
      }
      await delay(50);
    }
  }

  /** `POST /jobs/{jobId}/<command>` */
  async command(jobId: string, command: string, body?: unknown, request: ApiRequest = {}) {
    const sent = body === undefined ? {} : { body };
    return this.send(`/jobs/${jobId}/${command}`, { method: 'POST', ...sent, ...request });
  }

  /** A command that is to be accepted. */
  async order(jobId: string, command: string, body?: unknown): Promise<JobRepresentation> {
    const isAccepted = command === 'fork' || command.startsWith('signals/');
    return jobOf(await this.command(jobId, command, body), isAccepted ? 202 : 200);
  }

  /** Submits a job and waits for its end. */
  async run(agent: string, input: unknown): Promise<JobRepresentation> {
    return this.finalJob(await this.submit(agent, input));
  }

  /** All rows of a list, page by page. */
  async list(query: string): Promise<JobRepresentation[]> {
    const rows: JobRepresentation[] = [];
    let cursor: string | undefined;
    do {
      const next = cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`;
      const response = await this.send(`/jobs?${query}${next}`);
      const page = jobListSchema.strict().parse(JSON.parse(response.text));
      rows.push(...page.jobs);
      cursor = page.next;
    } while (cursor !== undefined);
    return rows;
  }

  /** All entries of a trace, page by page. */
  async trace(jobId: string): Promise<TraceEntry[]> {
    const entries: TraceEntry[] = [];
    let cursor: string | undefined;
    do {
      const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`;
      const response = await this.send(`/jobs/${jobId}/trace${query}`);
      const part = traceSchema.parse(JSON.parse(response.text));
      entries.push(...part.entries);
      cursor = part.next;
    } while (cursor !== undefined);
    return entries;
  }
}

/** The job of an answer, its form checked. */
export function jobOf(response: ApiResponse, status: number): JobRepresentation {
  if (response.status !== status) {
    throw new Error(`expected ${status}, got ${response.status}: ${response.text.slice(0, 500)}`);
  }
  const body = JSON.parse(response.text) as unknown;
  const job = jobSchema.strict().parse(body);
  // An absent result is no result; zod would not tell it from one that is undefined.
  return job;
}

/** The problem of an answer, its form checked: media type, request id, and status as in the status line. */
export function problemOf(response: ApiResponse): Problem {
  const problem = problemSchema.strict().parse(JSON.parse(response.text));
  const mediaType = response.headers['content-type']?.split(';')[0];
  if (mediaType !== 'application/problem+json') {
    throw new Error(`expected application/problem+json, got ${String(mediaType)}`);
  }
  if (problem.status !== response.status) {
    throw new Error(`status line says ${response.status}, problem says ${problem.status}`);
  }
  if (problem.requestId !== response.headers['x-request-id']) {
    throw new Error(`x-request-id is not ${problem.requestId}`);
  }
  return problem;
}

interface SentBytes {
  readonly method: string;
  readonly headers: Readonly<Record<string, string | readonly string[]>>;
  readonly bytes?: Uint8Array;
}

function bytesOf(body: unknown): Uint8Array {
  if (body instanceof Uint8Array) return body;
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}

function send(url: URL, request: SentBytes): Promise<ApiResponse> {
  const open = url.protocol === 'https:' ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const outgoing = open(
      url,
      {
        method: request.method,
        headers: request.headers as Record<string, string | string[]>,
        timeout: REQUEST_LIMIT_MS,
        agent: false,
        // Names below `localhost`, by which an emulator tells APIs apart, are not in every resolver.
        ...(url.hostname.endsWith('.localhost') && { host: '127.0.0.1', servername: url.hostname }),
        setHost: true,
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const headers = Object.entries(incoming.headers).map(
            ([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value] as const,
          );
          resolve({
            status: incoming.statusCode ?? 0,
            headers: Object.fromEntries(headers),
            text: Buffer.concat(chunks).toString('utf8'),
          });
        });
      },
    );
    outgoing.on('timeout', () => outgoing.destroy(new Error(`no answer from ${url.href}`)));
    outgoing.on('error', reject);
    outgoing.end(request.bytes);
  });
}
