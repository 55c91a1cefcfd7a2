import type { JobEvent } from './answers.ts';
import { LonghaulError } from './errors.ts';
import { readEventStream } from './event-stream.ts';
import { pauseBeforeRetry } from './retry-policy.ts';
import type { ApiRequest, Transport } from './transport.ts';

export interface EventSource {
  readonly transport: Transport;
  readonly jobId: string;
  readonly after?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /**
   * Whether to come back when the API has no stream to spare. Nothing is missed by that, only late.
   * @default true
   */
  readonly isPatient?: boolean;
}

/** Heartbeats come every 15 s: one may be lost. */
const SILENCE_MS = 40_000;
const RECONNECT_MS = 1_000;
const FINAL: ReadonlySet<string> = new Set(['job.succeeded', 'job.failed', 'job.cancelled']);

/**
 * Events to the final one over as many connections as it takes, each behind the last event of the one before. Throws when as
 * many connections in a row have failed, without a heartbeat or an event, as there are tries.
 */
export async function* streamEvents({
  transport,
  jobId,
  after,
  signal,
  isPatient = true,
}: EventSource): AsyncGenerator<JobEvent, void> {
  const { clock, policy } = transport;
  let lastEventId = after;
  let isOver = false;
  let retryMs = RECONNECT_MS;
  for (let failures = 0; ;) {
    const request = eventsRequest(jobId, lastEventId, signal);
    let isOpen = false;
    try {
      const { status, body } = await transport.open(request);
      if (status === 204 || body === null) return;
      isOpen = true;
      const onRetry = (ms: number) => void (retryMs = ms);
      const onComment = () => void (failures = 0);
      const options = { silenceMs: SILENCE_MS, onRetry, onComment, signal };
      for await (const { id = '', data } of readEventStream(body, options)) {
        if (id === lastEventId) continue;
        const event = { ...(JSON.parse(data) as JobEvent), eventId: id };
        failures = 0;
        lastEventId = id;
        isOver = FINAL.has(event.type);
        yield event;
      }
      // Otherwise the server has had its five minutes. A final event may be one before a retry: then more follow it.
      if (isOver) return;
      await clock.delay(retryMs, signal);
    } catch (error) {
      const reason = isOpen ? transport.explained(error, request) : error;
      failures += 1;
      const pauseMs = pauseBeforeRetry(reason, failures, { policy, random: clock.random });
      if (pauseMs === undefined || (isAnswer(reason) && !isPatient)) throw reason;
      await clock.delay(pauseMs, signal);
    }
  }
}

function eventsRequest(
  jobId: string,
  lastEventId: string | undefined,
  signal: AbortSignal | undefined,
): ApiRequest {
  return {
    method: 'GET',
    path: `/jobs/${encodeURIComponent(jobId)}/events`,
    headers: {
      accept: 'text/event-stream',
      ...(lastEventId !== undefined && { 'last-event-id': lastEventId }),
    },
    signal,
  };
}

/** Whether the API itself refused, rather than the connection. */
function isAnswer(error: unknown): boolean {
  return error instanceof LonghaulError && error.status !== undefined;
}
