/** What tells one metric from another, as CloudWatch does. */
export interface Metric {
  readonly namespace: string;
  readonly name: string;
  readonly dimensions: Readonly<Record<string, string>>;
}

/** Values of a metric, for whoever keeps them. */
export interface Measured {
  readonly metric: Metric;
  readonly values: readonly number[];
}

/** The same for the same metric, however its dimensions are ordered. */
export function metricKey({ namespace, name, dimensions }: Metric): string {
  const sorted = Object.entries(dimensions).sort(([left], [right]) => (left < right ? -1 : 1));
  return JSON.stringify([namespace, name, sorted]);
}
