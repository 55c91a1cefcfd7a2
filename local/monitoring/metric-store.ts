import { type Metric, metricKey } from './metric.ts';
import type { Sample } from './statistic.ts';

/** From `from` to `to`, the later included, in ms. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

const KEPT_MS = 3_600_000;
/** What comes within this time is kept as one. */
const BUCKET_MS = 10_000;
/** Enough for the percentiles of what this machine can do in ten seconds; sums and extremes are exact in any case. */
const VALUES_PER_BUCKET = 500;
/** A metric by job or request would be paid for by the piece: whoever makes one is told. */
const MOST_SERIES = 2_000;
const GAUGE_REPORTED_EVERY_MS = 60_000;

interface Bucket {
  sum: number;
  count: number;
  minimum: number;
  maximum: number;
  last: number;
  readonly values: number[];
}

interface Series {
  readonly metric: Metric;
  /** A level that is looked at now and then: AWS reports one a minute, and the last look of a minute counts here. */
  readonly isGauge: boolean;
  /** By the start of their time, oldest first. */
  readonly buckets: Map<number, Bucket>;
}

/** What an hour of metrics comes to. */
export class MetricStore {
  readonly #series = new Map<string, Series>();
  readonly #now: () => number;
  #hasComplained = false;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Adds to what was measured of a metric. */
  add(metric: Metric, values: readonly number[]): void {
    const bucket = this.#bucket(this.#seriesOf(metric, false));
    for (const value of values) addTo(bucket, value);
  }

  /** Notes the level of a metric. */
  gauge(metric: Metric, value: number): void {
    const { buckets } = this.#seriesOf(metric, true);
    buckets.delete(this.#bucketStart());
    addTo(this.#bucket({ buckets }), value);
  }

  /** What was measured of a metric meanwhile; undefined when nothing was. */
  sample(metric: Metric, span: Span): Sample | undefined {
    const series = this.#series.get(metricKey(metric));
    if (!series) return undefined;
    return together(series.isGauge ? lastOfEachMinute(series, span) : within(series, span));
  }

  /** Every metric that was measured, with what the last hour came to. */
  all(): readonly { readonly metric: Metric; readonly sample: Sample }[] {
    const span = { from: this.#now() - KEPT_MS, to: this.#now() };
    return [...this.#series.values()].flatMap(({ metric }) => {
      const sample = this.sample(metric, span);
      return sample ? [{ metric, sample }] : [];
    });
  }

  forget(): void {
    this.#series.clear();
  }

  #seriesOf(metric: Metric, isGauge: boolean): Series {
    const key = metricKey(metric);
    const series = this.#series.get(key) ?? { metric, isGauge, buckets: new Map<number, Bucket>() };
    if (this.#series.has(key) || this.#series.size < MOST_SERIES) this.#series.set(key, series);
    else this.#complain(key);
    return series;
  }

  #complain(key: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    process.stderr.write(
      `more than ${MOST_SERIES} metrics; not kept are others, the first ${key}\n`,
    );
  }

  #bucket({ buckets }: Pick<Series, 'buckets'>): Bucket {
    const start = this.#bucketStart();
    const bucket = buckets.get(start) ?? {
      sum: 0,
      count: 0,
      minimum: Infinity,
      maximum: -Infinity,
      last: NaN,
      values: [],
    };
    buckets.set(start, bucket);
    for (const old of buckets.keys()) {
      if (old >= start - KEPT_MS) break;
      buckets.delete(old);
    }
    return bucket;
  }

  #bucketStart(): number {
    return Math.floor(this.#now() / BUCKET_MS) * BUCKET_MS;
  }
}

function addTo(bucket: Bucket, value: number): void {
  bucket.sum += value;
  bucket.count += 1;
  bucket.minimum = Math.min(bucket.minimum, value);
  bucket.maximum = Math.max(bucket.maximum, value);
  bucket.last = value;
  if (bucket.values.length < VALUES_PER_BUCKET) bucket.values.push(value);
}

/** A span is as exact as the buckets: the one it ends in counts whole, the one it begins in not at all. */
function within({ buckets }: Series, { from, to }: Span): Bucket[] {
  return Array.from(buckets)
    .filter(([start]) => start > from - (from % BUCKET_MS) && start <= to)
    .map(([, bucket]) => bucket);
}

function lastOfEachMinute(series: Series, { from, to }: Span): Bucket[] {
  const found: Bucket[] = [];
  for (let end = to; end > from; end -= GAUGE_REPORTED_EVERY_MS) {
    const last = within(series, { from: Math.max(from, end - GAUGE_REPORTED_EVERY_MS), to: end });
    found.unshift(...last.slice(-1));
  }
  return found;
}

/** Of buckets, the oldest first; undefined when there is none. */
function together(found: readonly Bucket[]): Sample | undefined {
  const newest = found.at(-1);
  return (
    newest && {
      sum: found.reduce((total, { sum }) => total + sum, 0),
      count: found.reduce((total, { count }) => total + count, 0),
      minimum: Math.min(...found.map(({ minimum }) => minimum)),
      maximum: Math.max(...found.map(({ maximum }) => maximum)),
      last: newest.last,
      values: found.flatMap(({ values }) => values),
    }
  );
}
