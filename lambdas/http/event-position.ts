import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { EntryPosition } from '../../src/core/job/entry-position.ts';
import type { Job } from '../../src/core/job/job.ts';
import { headerValues } from './request.ts';
import { RequestRefused } from './request-refused.ts';

/** No longer than the places of a page's key. */
const POSITION = /^(\d{1,4})\.(\d{1,10})\.(\d{1,9})$/;

/** The `id` of an event. */
export function formatPosition({ generation, seq, index }: EntryPosition): string {
  return `${generation}.${seq}.${index}`;
}

/**
 * Behind which event a reader wants to go on. `Last-Event-ID` is newer than the query of the address that a browser
 * opens again and again, so it goes before.
 * @throws RequestRefused `invalid_request`
 */
export function positionOf(
  event: APIGatewayProxyEvent,
  after: string | undefined,
): EntryPosition | undefined {
  const [header] = headerValues(event, 'last-event-id');
  // A client that has seen no event with an id may send an empty one.
  if (header !== undefined && header !== '') return parsePosition('Last-Event-ID', header);
  return after === undefined ? undefined : parsePosition('after', after);
}

/** @throws RequestRefused `invalid_request` for a position that the job cannot have given out */
export function checkPosition(position: EntryPosition | undefined, job: Job): void {
  if (position === undefined || position.generation <= job.generation) return;
  throw new RequestRefused(
    'invalid_request',
    `${formatPosition(position)} is no event of this job, which is in its generation ${job.generation}: use the id of an event of its own stream`,
  );
}

function parsePosition(name: string, text: string): EntryPosition {
  const [, generation, seq, index] = POSITION.exec(text) ?? [];
  if (generation === undefined) {
    throw new RequestRefused(
      'invalid_request',
      `${name} must be the id of an event, like 1.12.0, got ${JSON.stringify(text.slice(0, 64))}`,
    );
  }
  return { generation: Number(generation), seq: Number(seq), index: Number(index) };
}
