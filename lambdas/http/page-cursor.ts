import type { PagePosition } from '../../src/core/ports/job-store.ts';
import { RequestRefused } from './request-refused.ts';

/** No longer than the places of a page's key, with room to count on: a larger number would sort before a smaller one. */
const POSITION = /^(\d{1,4})\.(\d{1,9})$/;

/** Opaque to callers: its form may change with any release. */
export function formatCursor({ generation, seq }: PagePosition): string {
  return Buffer.from(`${generation}.${seq}`).toString('base64url');
}

/** @throws RequestRefused `invalid_request` for anything `formatCursor` did not make */
export function parseCursor(cursor: string): PagePosition {
  const [, generation, seq] = POSITION.exec(Buffer.from(cursor, 'base64url').toString()) ?? [];
  if (generation === undefined || seq === undefined) {
    throw new RequestRefused(
      'invalid_request',
      'the query parameter cursor is not one this API gave out: use the field next of an earlier answer',
    );
  }
  return { generation: Number(generation), seq: Number(seq) };
}
