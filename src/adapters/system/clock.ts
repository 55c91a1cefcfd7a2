import type { Clock } from '../../core/ports/clock.ts';

/** `setTimeout` turns a longer delay into 1 ms. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  setTimer,
  afterTurn: (callback) => {
    setImmediate(callback);
  },
};

function setTimer(delayMs: number, callback: () => void): () => void {
  let timer: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    const delay = Math.min(leftMs, LONGEST_TIMER_MS);
    timer = setTimeout(() => {
      if (leftMs > delay) arm(leftMs - delay);
      else callback();
    }, delay);
  };
  arm(Math.max(0, delayMs));
  return () => {
    clearTimeout(timer);
  };
}
