/** The token bucket of API Gateway: `burst` requests at once, refilled at `ratePerSecond`. */
export class Throttle {
  readonly #ratePerSecond: number;
  readonly #burst: number;
  #tokens: number;
  #filledAt: number;

  constructor(limits: { readonly ratePerSecond: number; readonly burst: number }, now: number) {
    this.#ratePerSecond = limits.ratePerSecond;
    this.#burst = limits.burst;
    this.#tokens = limits.burst;
    this.#filledAt = now;
  }

  /** Whether one more request may pass at `now`, in epoch milliseconds. */
  admits(now: number): boolean {
    if (this.#burst === Infinity) return true;
    const gained = ((now - this.#filledAt) / 1000) * this.#ratePerSecond;
    this.#tokens = Math.min(this.#burst, this.#tokens + gained);
    this.#filledAt = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
