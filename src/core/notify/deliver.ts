import { MAX_QUEUE_DELAY_MS, QUEUED_DUE_MS } from '../policy/limits.ts';
import type { Clock } from '../ports/clock.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { JobStore } from '../ports/job-store.ts';
import type { NotificationQueue, UndeliveredQueue } from '../ports/notification-queue.ts';
import type { Telemetry } from '../ports/telemetry.ts';
import type { Span, SpanStart, Tracing } from '../ports/tracing.ts';
import type { WebhookAnswer, WebhookSender } from '../ports/webhook-sender.ts';
import { jobFields } from '../trace/job-telemetry.ts';
import { noTracing } from '../trace/no-tracing.ts';
import { formatTraceparent, parseTraceparent } from '../trace/trace-context.ts';
import type { Delivery, DeliveryName, DeliveryTry } from './delivery.ts';
import { nextTryAt, type RetryPolicy } from './retry-schedule.ts';

export interface DeliverDeps {
  readonly jobs: Pick<JobStore, 'getDelivery' | 'replaceDelivery'>;
  readonly sender: WebhookSender;
  readonly notifications: NotificationQueue;
  readonly undelivered: UndeliveredQueue;
  /** What a tenant's webhooks are signed with; there is always one. */
  readonly secretsOf: (tenantId: string) => Promise<readonly string[]>;
  /** JSON text of what the receiver gets: the same for every try. */
  readonly bodyOf: (delivery: Delivery) => Promise<string>;
  readonly policy: RetryPolicy;
  readonly clock: Pick<Clock, 'now'>;
  readonly ids: Pick<IdSource, 'random'>;
  readonly telemetry: Telemetry;
  /** Without it nothing is traced. */
  readonly tracing?: Tracing;
}

/** Longer than a try may take: whoever died in the middle of one is followed by the next after this. */
const CLAIM_MS = 20_000;
/** Clocks differ a little; a hint that comes earlier is somebody else's affair. */
const EARLY_MS = 1_000;
/** What is kept of the tries of a delivery that is sent again by hand again and again. */
const KEPT_TRIES = 40;

/**
 * One try of a delivery, if it is time for one. A hint that comes twice, early or too late finds nothing to do. A crash at
 * any moment is followed by another try under the same id.
 */
export async function deliver(deps: DeliverDeps, name: DeliveryName): Promise<void> {
  const claimed = await claim(deps, name);
  if (claimed === undefined) return;
  const startedAt = deps.clock.now();
  const answer = await send(deps, claimed, startedAt);
  const durationMs = deps.clock.now() - startedAt;
  await record(deps, claimed, {
    answer,
    tried: { at: startedAt, ...factsOf(answer), durationMs },
  });
}

/** Moves the next try beyond this one, which keeps others away while it is under way. */
async function claim(deps: DeliverDeps, name: DeliveryName): Promise<Delivery | undefined> {
  const found = await deps.jobs.getDelivery(name);
  const now = deps.clock.now();
  if (found?.nextTryAt === undefined || found.nextTryAt > now + EARLY_MS) return undefined;
  const claimedUntil = now + CLAIM_MS;
  const claimed = { ...found, nextTryAt: claimedUntil, dueAt: claimedUntil };
  return (await deps.jobs.replaceDelivery(claimed, found)) ? claimed : undefined;
}

async function send(deps: DeliverDeps, delivery: Delivery, at: number): Promise<WebhookAnswer> {
  const { deliveryId: id, url, tenantId } = delivery;
  const [secrets, body] = await Promise.all([deps.secretsOf(tenantId), deps.bodyOf(delivery)]);
  const request = { url, id, at, body, secrets };
  const parent = parseTraceparent(delivery.job.traceparent);
  if (parent === undefined) return deps.sender.send(request);
  return (deps.tracing ?? noTracing).inSpan(spanOf(delivery), parent, async (span) => {
    const traceparent = formatTraceparent(span.context);
    const answer = await deps.sender.send({ ...request, traceparent });
    noteAnswer(span, answer);
    return answer;
  });
}

function spanOf({
  event,
  jobId,
  tenantId,
  deliveryId,
  failedTries,
  url,
  job,
}: Delivery): SpanStart {
  const { agent } = job;
  const receiver = originOf(url);
  const facts = { jobId, tenantId, agent, event, deliveryId, try: failedTries + 1, receiver };
  return { name: `deliver ${event}`, kind: 'client', attributes: facts };
}

function noteAnswer(span: Span, answer: WebhookAnswer): void {
  if (answer.kind === 'failed') span.fail({ name: 'WebhookFailed' });
  else {
    span.note({ httpStatus: answer.status });
    if (!isTaken(answer)) span.fail({ name: 'WebhookRefused', code: String(answer.status) });
  }
}

function isTaken(answer: WebhookAnswer): boolean {
  return answer.kind === 'answered' && answer.status >= 200 && answer.status < 300;
}

function factsOf(answer: WebhookAnswer): Pick<DeliveryTry, 'status' | 'error'> {
  return answer.kind === 'answered' ? { status: answer.status } : { error: answer.error };
}

interface Try {
  readonly answer: WebhookAnswer;
  readonly tried: DeliveryTry;
}

async function record(deps: DeliverDeps, claimed: Delivery, { answer, tried }: Try): Promise<void> {
  const tries = [...claimed.tries, tried].slice(-KEPT_TRIES);
  const { nextTryAt: _nextTryAt, dueAt: _dueAt, ...settled } = { ...claimed, tries };
  if (isTaken(answer)) {
    deps.telemetry.count('NotificationsDelivered');
    await write(deps, { ...settled, status: 'delivered' }, claimed);
    return;
  }
  const failed = { ...settled, failedTries: claimed.failedTries + 1 };
  if (answer.kind === 'answered' && answer.status === 410) {
    note(deps, 'warn', 'the receiver wants no more of a delivery', failed);
    await write(deps, { ...failed, status: 'stopped' }, claimed);
    return;
  }
  deps.telemetry.count('NotificationTriesFailed');
  const next = nextTryAt(
    deps.policy,
    {
      at: deps.clock.now(),
      failedTries: failed.failedTries,
      triedSince: claimed.triedSince,
      ...(answer.kind === 'answered' && answer.retryAfterMs !== undefined
        ? { retryAfterMs: answer.retryAfterMs }
        : {}),
    },
    deps.ids.random(),
  );
  await (next === undefined
    ? giveUp(deps, failed, claimed)
    : postpone(deps, failed, { next, claimed }));
}

/** Within a quarter of an hour by a delayed message, beyond it by the sweeper. */
async function postpone(
  deps: DeliverDeps,
  failed: Delivery,
  { next, claimed }: { readonly next: number; readonly claimed: Delivery },
): Promise<void> {
  const delayMs = Math.max(0, next - deps.clock.now());
  const isNear = delayMs <= MAX_QUEUE_DELAY_MS;
  const dueAt = isNear ? next + QUEUED_DUE_MS : next;
  note(deps, 'info', 'a delivery failed and is tried again', failed);
  if (!(await write(deps, { ...failed, nextTryAt: next, dueAt }, claimed)) || !isNear) return;
  const { jobId, deliveryId, tenantId } = failed;
  const delaySeconds = Math.ceil(delayMs / 1_000);
  await deps.notifications.send({ v: 1, jobId, deliveryId, tenantId }, { delaySeconds });
}

/** The letter comes first: a crash in between makes a second one, and never none. */
async function giveUp(deps: DeliverDeps, failed: Delivery, claimed: Delivery): Promise<void> {
  const { jobId, tenantId, deliveryId, event, url, failedTries, tries } = failed;
  const last = tries.at(-1);
  await deps.undelivered.send({
    v: 1,
    jobId,
    tenantId,
    deliveryId,
    event,
    receiver: originOf(url),
    failedTries,
    ...(last?.status === undefined ? {} : { lastStatus: last.status }),
    ...(last?.error === undefined ? {} : { lastError: last.error }),
    givenUpAt: new Date(deps.clock.now()).toISOString(),
  });
  deps.telemetry.count('NotificationsGivenUp');
  note(deps, 'error', 'a delivery was given up', failed);
  await write(deps, { ...failed, status: 'failed' }, claimed);
}

/** Refused: the try took too long, and somebody else has it now. */
async function write(deps: DeliverDeps, next: Delivery, claimed: Delivery): Promise<boolean> {
  const isWritten = await deps.jobs.replaceDelivery(next, claimed);
  if (!isWritten) note(deps, 'warn', 'what came of a delivery was written by somebody else', next);
  return isWritten;
}

function note(
  deps: DeliverDeps,
  level: 'info' | 'warn' | 'error',
  message: string,
  { deliveryId, event, failedTries, tries, url, job }: Delivery,
): void {
  const { status, error, durationMs } = tries.at(-1) ?? {};
  const receiver = originOf(url);
  const facts = { ...jobFields(job), deliveryId, event, receiver, failedTries };
  deps.telemetry.log(level, message, { ...facts, status, error, durationMs });
}

/** The path and the query of a URL may be secrets. */
export function originOf(url: string): string {
  return /^[^:]+:\/\/[^/?#]+/.exec(url)?.[0] ?? '';
}
