import { AppError } from '../../errors.ts';

/** Most that one stored item may hold: DynamoDB's limit of 400 KB, attribute names included. */
export const ITEM_LIMIT_BYTES = 400 * 1024;

/**
 * Refuses an item before it is sent, so that its owner learns the size and not only that DynamoDB said no.
 * @throws AppError `payload_too_large`
 */
export function checkItemSize(what: string, sizeBytes: number, jobId: string): void {
  if (sizeBytes <= ITEM_LIMIT_BYTES) return;
  throw new AppError(
    `the ${what} of job ${jobId} takes ${sizeBytes} bytes, an item holds at most ${ITEM_LIMIT_BYTES}: keep large values in S3`,
    {
      code: 'payload_too_large',
      details: { item: what, jobId, sizeBytes, limitBytes: ITEM_LIMIT_BYTES },
    },
  );
}
