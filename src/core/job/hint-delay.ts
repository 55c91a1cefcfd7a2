import { AppError } from '../../errors.ts';

/** SQS's longest delay of a message: a hint for a later moment is the sweeper's to send. */
export const LONGEST_HINT_DELAY_SECONDS = 900;

/** @throws AppError `internal_error` for a delay that SQS would refuse */
export function checkHintDelay(delaySeconds: number): void {
  const longest = LONGEST_HINT_DELAY_SECONDS;
  if (Number.isInteger(delaySeconds) && delaySeconds >= 0 && delaySeconds <= longest) return;
  throw new AppError(
    `delay of a hint is ${delaySeconds} seconds, allowed are whole numbers from 0 to ${longest}`,
    { code: 'internal_error', details: { delaySeconds } },
  );
}
