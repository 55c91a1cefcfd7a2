/** Time, as the engine sees it; a test or the simulator turns it by hand. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Calls back once after `delayMs`; the answer cancels it. */
  setTimer(delayMs: number, callback: () => void): () => void;
  /** Calls back after every microtask and callback that is ready now has run. */
  afterTurn(callback: () => void): void;
}
