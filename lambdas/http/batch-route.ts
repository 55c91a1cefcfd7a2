import { type CheckDeps, checkSubmission } from '../../src/core/commands/check-submission.ts';
import { sendHints } from '../../src/core/commands/send-hints.ts';
import { storeSubmission } from '../../src/core/commands/submit-job.ts';
import { type PublishDeps, publishOnTheWay } from '../../src/core/notify/publish-change.ts';
import type { Job } from '../../src/core/job/job.ts';
import type { HintBatches, QueuedHint } from '../../src/core/ports/job-queue.ts';
import {
  type BatchAnswer,
  batchEntrySchema,
  type BatchOutcomeRepresentation,
  batchRequestSchema,
} from '../../src/protocol/batch.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import { METRICS } from '../../src/settings/names.ts';
import { type AcceptDeps, acceptedBody, acceptJob } from './accept-job.ts';
import { entryProblem } from './batch-problem.ts';
import { type Caller, callerOf, requireScope } from './caller.ts';
import { checkedBody } from './checked-body.ts';
import type { WebhookRules } from './checked-notify.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import { parseIdempotencyKey } from './idempotency-key.ts';
import { sideBySide } from './side-by-side.ts';
import { jsonBodyOf } from './json-body.ts';
import { callerSpanOf, pathsOf } from './request.ts';
import { RequestRefused } from './request-refused.ts';
import { routeOf } from './route-of.ts';
import { submissionOf } from './submission-of.ts';
import { submissionRefused } from './submission-refusals.ts';

export type BatchRouteDeps = Omit<AcceptDeps, 'queue'> &
  CheckDeps &
  Pick<PublishDeps, 'events'> & {
    readonly hints: HintBatches;
    readonly webhooks: WebhookRules;
  };

const BODY = {
  limitBytes: LIMITS.bodyBytes,
  advice: 'send fewer entries at a time, or upload large inputs with POST /uploads',
};

/** Entries that are worked on at once: their writes are conditional, so that DynamoDB takes them one by one. */
const AT_ONCE = 25;
/** An entry that is begun has the time for its writes, also when AWS is slow. */
const ENTRY_MS = 8_000;

/** `POST /jobs/batch` */
export function batchRoute(deps: BatchRouteDeps): Serve {
  return async (request) => {
    const { event, note } = request;
    const caller = callerOf(event);
    note({ tenantId: caller.tenantId });
    requireScope(caller, routeOf('submitBatch'));
    const { jobs } = checkedBody(batchRequestSchema, jsonBodyOf(event, BODY));
    const batch = new Batch(deps, request, caller);
    const outcomes = await batch.accept(jobs);
    await batch.tell();
    note({
      entries: jobs.length,
      accepted: outcomes.filter(({ status }) => status === 202).length,
    });
    return { status: 200, body: { outcomes } satisfies BatchAnswer };
  };
}

/** The entries of one request, and what is to be told of them once all are stored. */
class Batch {
  readonly #deps: BatchRouteDeps;
  readonly #request: HttpRequest;
  readonly #caller: Caller;
  readonly #hints: QueuedHint[] = [];
  readonly #made: Job[] = [];

  constructor(deps: BatchRouteDeps, request: HttpRequest, caller: Caller) {
    this.#deps = deps;
    this.#request = request;
    this.#caller = caller;
  }

  /** Entries with the same key wait for each other, as two requests would that are sent one after the other. */
  async accept(entries: readonly unknown[]): Promise<BatchOutcomeRepresentation[]> {
    const outcomes: BatchOutcomeRepresentation[] = [];
    await sideBySide(AT_ONCE, byKey(entries), async (indexes) => {
      for (const index of indexes) outcomes[index] = await this.#outcomeOf(entries[index], index);
    });
    return outcomes;
  }

  async tell(): Promise<void> {
    await Promise.all([
      sendHints(this.#deps, this.#hints),
      ...this.#made.map((job) => publishOnTheWay(this.#deps, job, 'submitted')),
    ]);
  }

  async #outcomeOf(entry: unknown, index: number): Promise<BatchOutcomeRepresentation> {
    try {
      return await this.#acceptEntry(entry);
    } catch (error) {
      return entryProblem(error, index, { telemetry: this.#deps.telemetry, ...this.#request });
    }
  }

  async #acceptEntry(entry: unknown): Promise<BatchOutcomeRepresentation> {
    const { event, context } = this.#request;
    const remainingMs = context.getRemainingTimeInMillis();
    if (remainingMs < ENTRY_MS) throw notBegun();
    const { idempotencyKey: given, ...body } = checkedBody(batchEntrySchema, entry);
    const idempotencyKey =
      given === undefined ? undefined : parseIdempotencyKey(given, 'the field idempotencyKey');
    const { webhooks } = this.#deps;
    const submission = submissionOf(this.#caller, body, { idempotencyKey, webhooks });
    const check = await checkSubmission(this.#deps, submission);
    if (!check.valid) throw submissionRefused(check, body.agent);

    const accepted = await acceptJob(this.#deps, check.submission, {
      remainingMs,
      callerSpan: callerSpanOf(event),
      make: async (checked) => {
        const { send, made, ...result } = await storeSubmission(this.#deps, checked);
        if (send !== undefined) this.#hints.push(send);
        if (made !== undefined) this.#made.push(made);
        return result;
      },
    });
    const { replayed } = accepted;
    if (replayed) {
      this.#deps.telemetry.count(METRICS.names.submitsReplayed, 1, { agent: body.agent });
    }
    const job = acceptedBody(check.submission, accepted, pathsOf(event));
    return { status: 202, job, ...(replayed && { replayed }) };
  }
}

type Entry = { readonly idempotencyKey?: unknown; readonly inputRef?: unknown } | null;

const UPLOADS = Symbol('uploads');

/**
 * Indexes of entries, together where they have the same key. Those with uploads are all together: one alone may take half of
 * the function's memory.
 */
function byKey(entries: readonly unknown[]): number[][] {
  const all = entries as readonly Entry[];
  const ofUploads = new Set(
    all
      .filter((entry) => entry?.inputRef !== undefined)
      .map((entry) => bareKey(entry?.idempotencyKey)),
  );
  ofUploads.delete(undefined);
  const groups = new Map<unknown, number[]>();
  all.forEach((entry, index) => {
    const { idempotencyKey, inputRef } = entry ?? {};
    const isUpload = inputRef !== undefined || ofUploads.has(bareKey(idempotencyKey));
    const key = isUpload ? UPLOADS : (bareKey(idempotencyKey) ?? index);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [index]);
    else group.push(index);
  });
  return [...groups.values()];
}

/** One key may be written in two ways; one that is no key is refused later. */
function bareKey(given: unknown): unknown {
  if (typeof given !== 'string') return given;
  try {
    return parseIdempotencyKey(given);
  } catch {
    return given;
  }
}

function notBegun(): RequestRefused {
  return new RequestRefused(
    'unavailable',
    'the time of the request was over before this entry: send it again',
    { headers: { 'retry-after': '2' } },
  );
}
