import { MetricUnit, Metrics } from '@aws-lambda-powertools/metrics';
import { METRICS } from '../../settings/names.ts';

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit];

interface Buffered {
  readonly unit: Unit;
  readonly values: number[];
}

/** EMF takes 100 values of a metric in one line; with the hundredth, Powertools would publish by itself and forget the dimensions. */
const VALUES_PER_LINE = 99;

/**
 * Metrics of one invocation, written as one EMF line per agent: a line per metric would be paid for in log bytes.
 * Counts are summed up meanwhile.
 */
export class MetricBuffer {
  readonly #byAgent = new Map<string | undefined, Map<string, Buffered>>();
  readonly #metrics = new Metrics({ namespace: METRICS.namespace, serviceName: METRICS.service });

  count(metric: string, value: number, agent: string | undefined): void {
    const { values } = this.#buffered(metric, MetricUnit.Count, agent);
    values[0] = (values[0] ?? 0) + value;
  }

  measure(metric: string, value: number, agent: string | undefined): void {
    const unit = metric.endsWith('Ms') ? MetricUnit.Milliseconds : MetricUnit.Count;
    this.#buffered(metric, unit, agent).values.push(value);
  }

  flush(): void {
    for (const [agent, metrics] of this.#byAgent) {
      for (let from = 0; this.#addPart(metrics, from); from += VALUES_PER_LINE) {
        this.#publish(agent);
      }
    }
    this.#byAgent.clear();
  }

  #buffered(metric: string, unit: Unit, agent: string | undefined): Buffered {
    const metrics = this.#byAgent.get(agent) ?? new Map<string, Buffered>();
    this.#byAgent.set(agent, metrics);
    const buffered = metrics.get(metric) ?? { unit, values: [] };
    metrics.set(metric, buffered);
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

  /** Twice in one line: for the service as a whole, and for the agent. */
  #publish(agent: string | undefined): void {
    if (agent !== undefined) this.#metrics.addDimensions({}).addDimensions({ agent });
    this.#metrics.publishStoredMetrics();
  }
}
