import { MetricUnit, Metrics } from '@aws-lambda-powertools/metrics';
import type { EmfOutput } from '@aws-lambda-powertools/metrics/types';
import { METRICS } from '../../settings/names.ts';
import { mergedMetrics } from './merged-metrics.ts';

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];

interface Buffered {
  readonly unit: Unit;
  readonly values: number[];
}

/** Metrics with the same dimensions, which share a line. */
interface Group {
  readonly dimensions: Readonly<Record<string, string>>;
  readonly metrics: Map<string, Buffered>;
}

/** EMF takes 100 values of a metric in one line; with the hundredth, Powertools would publish by itself and forget the dimensions. */
const VALUES_PER_LINE = 99;

/**
 * Metrics of one invocation, written as one EMF line for each value of a dimension: a line per metric would be paid for in
 * log bytes. Counts are summed up meanwhile.
 */
export class MetricBuffer {
  readonly #groups = new Map<string, Group>();
  readonly #metrics = new Metrics({ namespace: METRICS.namespace, serviceName: METRICS.service });

  count(metric: string, value: number, dimensions: Group['dimensions']): void {
    const { values } = this.#buffered(metric, MetricUnit.Count, dimensions);
    values[0] = (values[0] ?? 0) + value;
  }

  measure(metric: string, value: number, dimensions: Group['dimensions']): void {
    this.#buffered(metric, unitOf(metric), dimensions).values.push(value);
  }

  flush(): void {
    const documents: EmfOutput[] = [];
    for (const { dimensions, metrics } of this.#groups.values()) {
      for (let from = 0; this.#addPart(metrics, from); from += VALUES_PER_LINE) {
        documents.push(this.#document(dimensions));
      }
    }
    this.#groups.clear();
    // Past the console, which Lambda replaces by one that writes more than the document.
    for (const document of mergedMetrics(documents)) {
      process.stdout.write(`${JSON.stringify(document)}\n`);
    }
  }

  #buffered(metric: string, unit: Unit, dimensions: Group['dimensions']): Buffered {
    const key = JSON.stringify(dimensions);
    const group = this.#groups.get(key) ?? { dimensions, metrics: new Map<string, Buffered>() };
    this.#groups.set(key, group);
    const buffered = group.metrics.get(metric) ?? { unit, values: [] };
    group.metrics.set(metric, buffered);
    return buffered;
  }

  /** False when no metric has values from there on. */
  #addPart(metrics: ReadonlyMap<string, Buffered>, from: number): boolean {
    let added = false;
    for (const [name, { unit, values }] of metrics) {
      for (const value of values.slice(from, from + VALUES_PER_LINE)) {
        this.#metrics.addMetric(name, unit, value);
        added = true;
      }
    }
    return added;
  }

  /** Twice in one: for the service as a whole, and by the dimension. */
  #document(dimensions: Group['dimensions']): EmfOutput {
    if (Object.keys(dimensions).length > 0) {
      this.#metrics.addDimensions({}).addDimensions({ ...dimensions });
    }
    const document = this.#metrics.serializeMetrics();
    this.#metrics.clearMetrics();
    this.#metrics.clearDimensions();
    return document;
  }
}

function unitOf(metric: string): Unit {
  if (metric.endsWith('Ms')) return MetricUnit.Milliseconds;
  return metric.endsWith('Percent') ? MetricUnit.Percent : MetricUnit.Count;
}
