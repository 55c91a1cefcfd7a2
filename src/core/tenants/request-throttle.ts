import type { Clock } from '../ports/clock.ts';
import type { CountingWindow, RequestCounter } from '../ports/request-counter.ts';
import type { Telemetry } from '../ports/telemetry.ts';

export interface ThrottleDeps {
  readonly counter: RequestCounter;
  readonly clock: Pick<Clock, 'now'>;
  readonly telemetry: Pick<Telemetry, 'log'>;
}

export interface ThrottledRequest {
  readonly tenantId: string;
  readonly requestsPerSecond: number;
  /** Reported by itself: of requests that are held for long an environment has too few to report ten at once. */
  readonly isHeld: boolean;
}

/** Rates are kept on average over so long. */
export const THROTTLE_WINDOW_MS = 10_000;

/** Requests of one tenant that an environment reports together: so many write units less. */
const MOST_UNREPORTED = 10;
const LEAST_UNREPORTED = 2;

interface Count {
  /** Over all environments, as of the last report. */
  known: number;
  unreported: number;
}

/**
 * Keeps each tenant to its rate, over all environments. An environment counts by itself and reports ten requests at once to a
 * shared count, which tells it of the others. It refuses only what is beyond the limit for certain: too much passes rather than
 * too little.
 */
export class RequestThrottle {
  readonly #deps: ThrottleDeps;
  #window: CountingWindow = { startsAt: 0, endsAt: 0 };
  #counts = new Map<string, Count>();

  constructor(deps: ThrottleDeps) {
    this.#deps = deps;
  }

  /** Seconds after which to try again, or undefined: the request may pass. */
  async retryAfter(request: ThrottledRequest): Promise<number | undefined> {
    const { tenantId, requestsPerSecond, isHeld } = request;
    if (requestsPerSecond <= 0) return undefined;
    const limit = (requestsPerSecond * THROTTLE_WINDOW_MS) / 1_000;
    const count = this.#countOf(tenantId);
    if (count.known + count.unreported >= limit) return this.#secondsLeft();
    count.unreported++;
    const most = Math.min(MOST_UNREPORTED, Math.max(LEAST_UNREPORTED, Math.floor(limit / 10)));
    if (!isHeld && count.unreported < most) return undefined;
    const before = await this.#report(tenantId, count);
    return before >= limit ? this.#secondsLeft() : undefined;
  }

  #countOf(tenantId: string): Count {
    const now = this.#deps.clock.now();
    if (now >= this.#window.endsAt) {
      const startsAt = now - (now % THROTTLE_WINDOW_MS);
      this.#window = { startsAt, endsAt: startsAt + THROTTLE_WINDOW_MS };
      this.#counts = new Map();
    }
    const count = this.#counts.get(tenantId) ?? { known: 0, unreported: 0 };
    this.#counts.set(tenantId, count);
    return count;
  }

  /** How many there were before those that are reported now. */
  async #report(tenantId: string, count: Count): Promise<number> {
    const requests = count.unreported;
    const { known } = count;
    // At once, so that others in this environment see them while the report is under way.
    count.unreported = 0;
    count.known += requests;
    try {
      const total = await this.#deps.counter.add(tenantId, this.#window, requests);
      count.known = Math.max(count.known, total);
      return total - requests;
    } catch (error) {
      // A throttle is no reason to be down: this environment goes by what it knows.
      this.#deps.telemetry.log('warn', 'requests could not be counted', { tenantId, error });
      return known;
    }
  }

  #secondsLeft(): number {
    return Math.max(1, Math.ceil((this.#window.endsAt - this.#deps.clock.now()) / 1_000));
  }
}
