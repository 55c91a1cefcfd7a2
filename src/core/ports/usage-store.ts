/** What jobs of a tenant have come to. */
export interface Usage {
  readonly jobs: {
    readonly succeeded: number;
    readonly failed: number;
    readonly cancelled: number;
  };
  /** Steps that succeeded. */
  readonly steps: number;
}

/** Counts by tenant and month, for people and bills of some tolerance: an addition whose answer is lost may count twice. */
export interface UsageStore {
  /** `month` is `YYYY-MM`. */
  add(tenantId: string, month: string, usage: Usage): Promise<void>;
  /** Eventually consistent; all zero where nothing was added. */
  read(tenantId: string, month: string): Promise<Usage>;
}

export const NO_USAGE: Usage = { jobs: { succeeded: 0, failed: 0, cancelled: 0 }, steps: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    jobs: {
      succeeded: a.jobs.succeeded + b.jobs.succeeded,
      failed: a.jobs.failed + b.jobs.failed,
      cancelled: a.jobs.cancelled + b.jobs.cancelled,
    },
    steps: a.steps + b.steps,
  };
}
