import type { QueueLevels } from '../emulators/queue-levels.ts';
import type { Deployment } from '../template/deployment.ts';
import { type Alarm, type AlarmReport, alarmOf, judge } from './alarm.ts';
import {
  type CompositeAlarm,
  type CompositeReport,
  compositeAlarm,
  judgeComposite,
} from './composite-alarm.ts';
import { embeddedMetrics } from './embedded-metrics.ts';
import type { Measured, Metric } from './metric.ts';
import { type MetricFilter, metricFilters } from './metric-filters.ts';
import { MetricStore } from './metric-store.ts';
import { levelMetrics } from './queue-metrics.ts';
import type { Sample } from './statistic.ts';

/** Asks how full the queues are. */
export type LookAtQueues = () => Promise<readonly QueueLevels[]>;

export interface MetricReport extends Metric, Omit<Sample, 'values'> {}

const LOOK_AT_QUEUES_EVERY_MS = 10_000;

/**
 * Plays CloudWatch: keeps an hour of metrics, and says what the alarms of the template make of them. Nobody is told: topics
 * are not played.
 */
export class Monitoring {
  readonly #store: MetricStore;
  readonly #now: () => number;
  readonly #lookAtQueues: LookAtQueues;
  readonly #filters: readonly MetricFilter[];
  readonly #alarms: readonly Alarm[];
  readonly #composites: readonly CompositeAlarm[];
  #timer: NodeJS.Timeout | undefined;

  constructor(deployment: Deployment, lookAtQueues: LookAtQueues, now: () => number = Date.now) {
    this.#now = now;
    this.#store = new MetricStore(now);
    this.#lookAtQueues = lookAtQueues;
    this.#filters = metricFilters(deployment);
    this.#alarms = deployment.ofType('AWS::CloudWatch::Alarm').map(alarmOf);
    this.#composites = deployment
      .ofType('AWS::CloudWatch::CompositeAlarm')
      .map((resource) => compositeAlarm(resource, this.#alarms));
  }

  /** From now on the queues are looked at now and then, as SQS does by itself. */
  start(): void {
    this.#timer = setInterval(() => {
      // A look that fails while the cloud is stopped is nobody's affair; the next one tells whether it was more.
      this.#look().catch(() => undefined);
    }, LOOK_AT_QUEUES_EVERY_MS);
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** Takes a line that a function logged. */
  line(functionName: string, line: string): void {
    for (const { metric, values } of embeddedMetrics(line)) this.#store.add(metric, values);
    for (const filter of this.#filters) {
      if (filter.functionName !== functionName || !filter.matches(line)) continue;
      for (const { metric, values } of filter.measured) this.#store.add(metric, values);
    }
  }

  /** Takes what a service measures of itself. */
  measure(...measured: readonly Measured[]): void {
    for (const { metric, values } of measured) this.#store.add(metric, values);
  }

  /** What every alarm says now. */
  async alarms(): Promise<readonly (AlarmReport | CompositeReport)[]> {
    await this.#look();
    const reports = this.#alarms.map((alarm) => judge(alarm, this.#store, this.#now()));
    return [...reports, ...this.#composites.map((one) => judgeComposite(one, reports))];
  }

  /** What the last hour came to, of the metrics of this namespace and name where they are given. */
  async metrics({ namespace, name }: Partial<Metric>): Promise<readonly MetricReport[]> {
    await this.#look();
    return this.#store
      .all()
      .filter(({ metric }) => namespace === undefined || metric.namespace === namespace)
      .filter(({ metric }) => name === undefined || metric.name === name)
      .map(({ metric, sample: { values: _values, ...sample } }) => ({ ...metric, ...sample }));
  }

  /** Forgets what was measured so far. */
  forget(): void {
    this.#store.forget();
  }

  async #look(): Promise<void> {
    const now = this.#now();
    for (const levels of await this.#lookAtQueues()) {
      for (const { metric, values } of levelMetrics(levels, now)) {
        for (const value of values) this.#store.gauge(metric, value);
      }
    }
  }
}
