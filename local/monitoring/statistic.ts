/** What was measured in some time. */
export interface Sample {
  readonly sum: number;
  readonly count: number;
  readonly minimum: number;
  readonly maximum: number;
  /** The newest value. */
  readonly last: number;
  /** The values themselves, or the first of very many. */
  readonly values: readonly number[];
}

type Statistic = (sample: Sample) => number;

const STATISTICS: Readonly<Record<string, Statistic>> = {
  Sum: ({ sum }) => sum,
  SampleCount: ({ count }) => count,
  Average: ({ sum, count }) => sum / count,
  Minimum: ({ minimum }) => minimum,
  Maximum: ({ maximum }) => maximum,
};

export const KNOWN_STATISTICS = [...Object.keys(STATISTICS), 'p<number>'].join(', ');

/** The statistic of this name; undefined for one that is not played. */
export function statisticNamed(name: string): Statistic | undefined {
  const [, percent] = /^p(\d{1,2}(?:\.\d+)?|100)$/.exec(name) ?? [];
  return percent === undefined ? STATISTICS[name] : percentile(Number(percent));
}

const percentile =
  (percent: number): Statistic =>
  ({ values }) => {
    const sorted = values.toSorted((left, right) => left - right);
    const rank = Math.max(1, Math.ceil((percent / 100) * sorted.length));
    return sorted[rank - 1] ?? NaN;
  };
