import type {
  BatchOutcome,
  DeadLetter,
  DeadLetterDetail,
  Delivery,
  Job,
  JobEvent,
  Page,
  RedriveAnswer,
  Schedule,
  StalledJob,
  SubmittedJob,
  TraceEntry,
  Usage,
} from './answers.ts';
import type { ClientOptions } from './client-options.ts';
import { itemsOf } from './pages.ts';
import { pathSegment } from './path-segment.ts';
import type {
  DeadLetterFilter,
  EventsOptions,
  ForkCommand,
  JobFilter,
  PageOptions,
  RedriveSelection,
  RequestOptions,
  RetryCommand,
  SignalOptions,
  StalledJobFilter,
  WaitOptions,
} from './requests.ts';
import { resultOf } from './result-of.ts';
import type { AskedSchedule } from './schedule.ts';
import { streamEvents } from './stream-events.ts';
import type { InputRef, Submission, SubmitOptions } from './submission.ts';
import { submitBatch } from './submit-batch.ts';
import { submitJob } from './submit.ts';
import { type ApiRequest, Transport } from './transport.ts';
import { uploadInput } from './upload.ts';
import { waitForJob } from './wait-for-job.ts';

/**
 * Talks to a Longhaul API, from Node or a browser. Every request may be repeated without harm, and is: after network errors,
 * 429, 5xx, and while the first of two equal submissions is being written. All methods throw {@link LonghaulError}.
 *
 * @example
 * ```ts
 * const client = new LonghaulClient({ baseUrl, apiKey });
 * const { jobId } = await client.submit({ agent: 'greet', input: { names: ['Ada'] } });
 * const { greetings } = await client.result<{ greetings: string[] }>(jobId, { timeoutMs: 60_000 });
 * ```
 */
export class LonghaulClient {
  readonly #transport: Transport;

  constructor(options: ClientOptions) {
    this.#transport = new Transport(options);
  }

  /**
   * Submits a job. However often the request has to be sent, it makes one job.
   * @throws LonghaulError `unknown_agent`, `invalid_input` with the faults in `problem.errors`, …
   *
   * @example
   * ```ts
   * await client.submit({ agent: 'refund-approval', input: order, idempotencyKey: `refund-${order.orderId}` });
   * ```
   */
  async submit(submission: Submission, options: SubmitOptions = {}): Promise<SubmittedJob> {
    return submitJob(this.#transport, submission, options);
  }

  /** Submits any number of jobs and says of each what became of it, in their order. */
  async batch(
    submissions: readonly Submission[],
    options: RequestOptions = {},
  ): Promise<BatchOutcome[]> {
    return submitBatch(this.#transport, submissions, options);
  }

  /** Uploads the JSON text of an input, to be named as `inputRef`; `submit` does so itself where it is needed. */
  async upload(json: string | Uint8Array, options: RequestOptions = {}): Promise<InputRef> {
    return uploadInput(this.#transport, json, options);
  }

  /** The job as it is now. */
  async get(jobId: string, { signal }: RequestOptions = {}): Promise<Job> {
    return this.#read<Job>(jobPath(jobId), { signal });
  }

  /**
   * The job once it has ended, in whichever way: look at its `status`.
   * @throws WaitTimeoutError when it has not ended within `timeoutMs`
   */
  async wait(jobId: string, options: WaitOptions = {}): Promise<Job> {
    return waitForJob(this.#transport, jobId, options);
  }

  /**
   * The result of the job once it has succeeded, wherever it is kept.
   * @throws JobFailedError, JobCancelledError, WaitTimeoutError
   */
  async result<Result = unknown>(jobId: string, options: WaitOptions = {}): Promise<Result> {
    const job = await waitForJob(this.#transport, jobId, options);
    return (await resultOf(this.#transport, job, options.signal)) as Result;
  }

  /**
   * What happens in the job, as it happens, from its beginning to its final event. A connection that is cut is resumed: nothing
   * is missing and nothing comes twice.
   *
   * @example
   * ```ts
   * for await (const event of client.events(jobId)) {
   *   if (event.type === 'progress.reported') console.log(`${event.completed} of ${event.total}`);
   * }
   * ```
   */
  events(jobId: string, options: EventsOptions = {}): AsyncGenerator<JobEvent, void> {
    return streamEvents({ transport: this.#transport, jobId, ...options });
  }

  /** What has happened in the job so far, in order. */
  trace(jobId: string, { signal }: RequestOptions = {}): AsyncGenerator<TraceEntry, void> {
    return itemsOf((cursor) =>
      this.#page<TraceEntry>(jobPath(jobId, 'trace'), 'entries', { query: { cursor }, signal }),
    );
  }

  /** The tenant's jobs, newest first, part by part as they are asked for. */
  list(filter: JobFilter = {}, options: PageOptions = {}): AsyncGenerator<Job, void> {
    const { cursor: first } = options;
    return itemsOf((cursor = first) => this.listPage(filter, { ...options, ...at(cursor) }));
  }

  /** One part of the list, for who shows it in parts. */
  async listPage(filter: JobFilter = {}, options: PageOptions = {}): Promise<Page<Job>> {
    const { signal, ...page } = options;
    return this.#page('/jobs', 'jobs', { query: { ...filter, ...page }, signal });
  }

  /** Ends the job. @throws LonghaulError `conflict` when it has ended otherwise */
  async cancel(jobId: string, options: RequestOptions = {}): Promise<Job> {
    return this.#command(jobId, 'cancel', options);
  }

  /** Holds the job at its next step. */
  async pause(jobId: string, options: RequestOptions = {}): Promise<Job> {
    return this.#command(jobId, 'pause', options);
  }

  /** Lets a paused job go on. */
  async resume(jobId: string, options: RequestOptions = {}): Promise<Job> {
    return this.#command(jobId, 'resume', options);
  }

  /** Restarts a failed or cancelled job, from where it stopped or from a step. */
  async retry(
    jobId: string,
    command: RetryCommand = {},
    { signal }: RequestOptions = {},
  ): Promise<Job> {
    return this.#command(jobId, 'retry', { body: command, signal });
  }

  /** Makes a new job of a succeeded one, which goes on from a step. */
  async fork(
    jobId: string,
    { idempotencyKey = crypto.randomUUID(), ...body }: ForkCommand,
    { signal }: RequestOptions = {},
  ): Promise<Job> {
    const headers = { 'idempotency-key': idempotencyKey };
    return this.#command(jobId, 'fork', { headers, body, signal });
  }

  /**
   * Gives the job what it waits for, or is going to wait for: any JSON value.
   *
   * @example
   * ```ts
   * await client.signal(jobId, 'decision', { approved: true, by: 'Grace' });
   * ```
   */
  async signal(
    jobId: string,
    name: string,
    body: unknown,
    { idempotencyKey, signal }: SignalOptions = {},
  ): Promise<Job> {
    const headers = { ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }) };
    return this.#command(jobId, `signals/${pathSegment(name, 'the name of the signal')}`, {
      headers,
      body,
      signal,
    });
  }

  /** The job's notifications, with what came of each try to deliver them. */
  async deliveries(jobId: string, { signal }: RequestOptions = {}): Promise<readonly Delivery[]> {
    const path = jobPath(jobId, 'deliveries');
    return (await this.#read<{ deliveries: Delivery[] }>(path, { signal })).deliveries;
  }

  /** Sends a notification once more, under the same webhook id. */
  async resend(
    jobId: string,
    deliveryId: string,
    { signal }: RequestOptions = {},
  ): Promise<Delivery> {
    const path = jobPath(jobId, `deliveries/${pathSegment(deliveryId, 'deliveryId')}/resend`);
    return this.#write<Delivery>(path, { signal });
  }

  /** The tenant's schedules, without their inputs. */
  async schedules({ signal }: RequestOptions = {}): Promise<readonly Schedule[]> {
    return (await this.#read<{ schedules: Schedule[] }>('/schedules', { signal })).schedules;
  }

  /** A schedule, with its input, its next and its last run. */
  async schedule(name: string, { signal }: RequestOptions = {}): Promise<Schedule> {
    return this.#read(schedulePath(name), { signal });
  }

  /** Makes a schedule or changes it; whether it is paused stays as it is. */
  async putSchedule(
    name: string,
    schedule: AskedSchedule,
    { signal }: RequestOptions = {},
  ): Promise<Schedule> {
    return this.#write<Schedule>(schedulePath(name), { body: schedule, signal }, 'PUT');
  }

  /** Ends a schedule; jobs that it has submitted go on. */
  async deleteSchedule(name: string, { signal }: RequestOptions = {}): Promise<void> {
    await this.#write(schedulePath(name), { signal }, 'DELETE');
  }

  /** Holds a schedule until it is resumed. */
  async pauseSchedule(name: string, { signal }: RequestOptions = {}): Promise<Schedule> {
    return this.#write<Schedule>(schedulePath(name, 'pause'), { signal });
  }

  /** Lets a paused schedule go on. */
  async resumeSchedule(name: string, { signal }: RequestOptions = {}): Promise<Schedule> {
    return this.#write<Schedule>(schedulePath(name, 'resume'), { signal });
  }

  /** Jobs that failed and lie in the dead-letter queue. Needs the scope `ops`, as do the two below. */
  deadLetters(
    filter: DeadLetterFilter = {},
    options: PageOptions = {},
  ): AsyncGenerator<DeadLetter, void> {
    const { cursor: first, limit, signal } = options;
    return itemsOf((cursor = first) => {
      const query = { ...filter, limit, cursor };
      return this.#page<DeadLetter>('/dead-letters', 'deadLetters', { query, signal });
    });
  }

  /** One dead letter, with its job. */
  async deadLetter(jobId: string, { signal }: RequestOptions = {}): Promise<DeadLetterDetail> {
    return this.#read(`/dead-letters/${pathSegment(jobId, 'jobId')}`, { signal });
  }

  /** Retries jobs that lie in the dead-letter queue, as many as one request takes: go on while the answer says `more`. */
  async redrive(
    selection: RedriveSelection,
    { signal }: RequestOptions = {},
  ): Promise<RedriveAnswer> {
    return this.#write<RedriveAnswer>('/dead-letters/redrive', { body: selection, signal });
  }

  /** Jobs that are overdue or wait for long, with the reason in words. Needs the scope `ops`. */
  stalledJobs(
    filter: StalledJobFilter = {},
    options: PageOptions = {},
  ): AsyncGenerator<StalledJob, void> {
    const { cursor: first, limit, signal } = options;
    return itemsOf((cursor = first) => {
      const query = { ...filter, limit, cursor };
      return this.#page<StalledJob>('/stalled-jobs', 'stalledJobs', { query, signal });
    });
  }

  /** What the tenant used in a month, `YYYY-MM`. @default - the current one */
  async usage(month?: string, { signal }: RequestOptions = {}): Promise<Usage> {
    return this.#read<Usage>('/usage', { query: { month }, signal });
  }

  async #command(jobId: string, command: string, parts: RequestParts): Promise<Job> {
    return this.#write<Job>(jobPath(jobId, command), parts);
  }

  async #page<Item>(path: string, field: string, parts: RequestParts): Promise<Page<Item>> {
    const body = await this.#read<Record<string, unknown>>(path, parts);
    return { items: body[field] as Item[], ...nextOf(body) };
  }

  async #read<Body>(path: string, parts: RequestParts): Promise<Body> {
    return (await this.#transport.send({ method: 'GET', path, ...parts })).body as Body;
  }

  async #write<Body>(
    path: string,
    parts: RequestParts,
    method: 'POST' | 'PUT' | 'DELETE' = 'POST',
  ): Promise<Body> {
    return (await this.#transport.send({ method, path, ...parts })).body as Body;
  }
}

type RequestParts = Pick<ApiRequest, 'query' | 'headers' | 'body' | 'signal'>;

function jobPath(jobId: string, rest?: string): string {
  const job = `/jobs/${pathSegment(jobId, 'jobId')}`;
  return rest === undefined ? job : `${job}/${rest}`;
}

function schedulePath(name: string, command?: string): string {
  const schedule = `/schedules/${pathSegment(name, 'the name of the schedule')}`;
  return command === undefined ? schedule : `${schedule}/${command}`;
}

function at(cursor: string | undefined) {
  return cursor === undefined ? {} : { cursor };
}

function nextOf({ next }: Record<string, unknown>) {
  return typeof next === 'string' ? { next } : {};
}
