/** A stretch of time that requests are counted in; epoch milliseconds. */
export interface CountingWindow {
  readonly startsAt: number;
  readonly endsAt: number;
}

/** Requests of a tenant over all environments, window by window. */
export interface RequestCounter {
  /** Adds requests; answers how many there are with them. */
  add(tenantId: string, window: CountingWindow, requests: number): Promise<number>;
}
