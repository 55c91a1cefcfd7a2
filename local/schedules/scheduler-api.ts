import type { IncomingMessage, ServerResponse } from 'node:http';
import { readBody } from '../gateway/read-body.ts';
import { arn, REGION } from '../template/identity.ts';
import { Properties } from '../template/properties.ts';
import { type Schedule, scheduleOf } from './schedule.ts';
import type { Scheduler } from './scheduler.ts';

const BODY_LIMIT_BYTES = 1024 * 1024;

interface Made {
  readonly body: Readonly<Record<string, unknown>>;
  readonly createdAt: number;
}

/**
 * Schedules that functions make while they run: CreateSchedule, GetSchedule, UpdateSchedule and DeleteSchedule of EventBridge
 * Scheduler, in the groups of the template and the one that each account has.
 */
export class SchedulerApi {
  readonly #groups: ReadonlySet<string>;
  readonly #scheduler: Scheduler;
  readonly #made = new Map<string, Made>();

  constructor(groups: readonly string[], scheduler: Scheduler) {
    this.#groups = new Set([...groups, 'default']);
    this.#scheduler = scheduler;
  }

  /** As they were made, for tests to look at. */
  get made(): readonly Readonly<Record<string, unknown>>[] {
    return [...this.#made.entries()].map(([key, { body }]) => ({ Key: key, ...body }));
  }

  async serve(message: IncomingMessage, response: ServerResponse, url: URL): Promise<void> {
    const text = (await readBody(message, BODY_LIMIT_BYTES)) ?? '';
    const [, name] = /^\/schedules\/([0-9a-zA-Z._-]{1,64})$/.exec(decodeURI(url.pathname)) ?? [];
    if (name === undefined) {
      refuse(response, 400, 'ValidationException', `the local cloud has no ${url.pathname}`);
      return;
    }
    const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
    const group = groupOf(body) ?? url.searchParams.get('groupName') ?? 'default';
    if (!this.#groups.has(group)) {
      refuse(response, 404, 'ResourceNotFoundException', `Schedule group ${group} does not exist.`);
      return;
    }
    try {
      this.#answer(message.method ?? 'GET', { name, group, body }, response);
    } catch (error) {
      refuse(response, 400, 'ValidationException', (error as Error).message);
    }
  }

  #answer(
    method: string,
    { name, group, body }: { name: string; group: string; body: Record<string, unknown> },
    response: ServerResponse,
  ): void {
    const key = `${group}/${name}`;
    const found = this.#made.get(key);
    if (method !== 'POST' && found === undefined) {
      refuse(response, 404, 'ResourceNotFoundException', `Schedule ${name} does not exist.`);
      return;
    }
    if (method === 'POST' && found !== undefined) {
      refuse(response, 409, 'ConflictException', `Schedule ${name} already exists.`);
      return;
    }
    const ScheduleArn = arn('scheduler', `schedule/${key}`, REGION);
    if (method === 'DELETE') {
      this.#made.delete(key);
      this.#scheduler.remove(key);
      send(response, {});
    } else if (method === 'GET') {
      send(response, { Arn: ScheduleArn, Name: name, GroupName: group, ...found?.body });
    } else {
      this.#scheduler.set(key, this.#schedule(key, body));
      this.#made.set(key, { body, createdAt: found?.createdAt ?? Date.now() });
      send(response, { ScheduleArn });
    }
  }

  #schedule(key: string, body: Record<string, unknown>): Schedule {
    const [, name = key] = key.split('/');
    const schedule = scheduleOf({ logicalId: name, name: key }, new Properties(key, body));
    const { startAt, endAt } = schedule;
    // As AWS does, with five minutes for clocks that differ.
    if (startAt !== undefined && startAt < Date.now() - 300_000) {
      throw new Error('The StartDate you specify cannot be earlier than 5 minutes ago.');
    }
    if (endAt !== undefined && endAt <= Date.now()) {
      throw new Error('The EndDate you specify must be in the future.');
    }
    return schedule;
  }
}

/** In the body where there is one, in the query else. */
function groupOf({ GroupName }: Readonly<Record<string, unknown>>): string | undefined {
  return typeof GroupName === 'string' ? GroupName : undefined;
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, type: string, text: string): void {
  response.writeHead(status, { 'content-type': 'application/json', 'x-amzn-errortype': type });
  response.end(JSON.stringify({ Message: text }));
}
