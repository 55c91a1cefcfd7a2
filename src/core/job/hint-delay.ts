import { AppError } from '../../errors.ts';
import { MAX_QUEUE_DELAY_MS } from '../policy/limits.ts';

/** A hint for a later moment is the sweeper's to send. */
const LONGEST_SECONDS = MAX_QUEUE_DELAY_MS / 1_000;

/** @throws AppError `internal_error` for a delay that SQS would refuse */
export function checkHintDelay(delaySeconds: number): void {
  const isWhole = Number.isInteger(delaySeconds);
  if (isWhole && delaySeconds >= 0 && delaySeconds <= LONGEST_SECONDS) return;
  throw new AppError(
    `delay of a hint is ${delaySeconds} seconds, allowed are whole numbers from 0 to ${LONGEST_SECONDS}`,
    { code: 'internal_error', details: { delaySeconds } },
  );
}
