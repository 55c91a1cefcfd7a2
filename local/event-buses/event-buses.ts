import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../gateway/read-body.ts';

/** An event as it was put, its detail parsed. */
export interface PutEvent {
  readonly bus: string;
  readonly source: string;
  readonly detailType: string;
  readonly detail: unknown;
}

interface Entry {
  readonly EventBusName?: string;
  readonly Source?: string;
  readonly DetailType?: string;
  readonly Detail?: string;
}

const BODY_LIMIT_BYTES = 1024 * 1024;
/** The newest of them are kept. */
const KEPT_EVENTS = 10_000;
const MEDIA_TYPE = 'application/x-amz-json-1.1';

/**
 * Takes the events that are put on the buses of the template, and on the one that each account has, and keeps them for tests
 * to look at. Rules are not played: nothing is sent on.
 */
export class EventBuses {
  readonly events: PutEvent[] = [];
  readonly #names: ReadonlySet<string>;
  #count = 0;

  constructor(names: readonly string[]) {
    this.#names = new Set([...names, 'default']);
  }

  /** `AWSEvents.PutEvents`, and nothing else of the service. */
  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const text = (await readBody(message, BODY_LIMIT_BYTES)) ?? '{}';
    const operation = String(message.headers['x-amz-target'] ?? '');
    if (operation !== 'AWSEvents.PutEvents') {
      answer(response, 400, {
        __type: 'UnknownOperationException',
        message: `the local cloud plays AWSEvents.PutEvents only, not ${operation}`,
      });
      return;
    }
    const { Entries = [] } = JSON.parse(text) as { Entries?: readonly Entry[] };
    const entries = Entries.map((entry) => this.#put(entry));
    const FailedEntryCount = entries.filter((entry) => 'ErrorCode' in entry).length;
    answer(response, 200, { FailedEntryCount, Entries: entries });
  }

  #put({ EventBusName = 'default', Source, DetailType, Detail }: Entry) {
    const bus = EventBusName.replace(/^arn:.*:event-bus\//, '');
    if (!this.#names.has(bus)) {
      return refused('ResourceNotFoundException', `there is no event bus ${bus}`);
    }
    if (Source === undefined || DetailType === undefined || Detail === undefined) {
      return refused('InvalidArgument', 'Source, DetailType and Detail are required');
    }
    const detail = parsed(Detail);
    if (detail === undefined) return refused('MalformedDetail', 'Detail is malformed');
    this.events.push({ bus, source: Source, detailType: DetailType, detail });
    if (this.events.length > KEPT_EVENTS) this.events.shift();
    return { EventId: `event-${++this.#count}` };
  }
}

function refused(ErrorCode: string, ErrorMessage: string) {
  return { ErrorCode, ErrorMessage };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function answer(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': MEDIA_TYPE });
  response.end(JSON.stringify(body));
}
