import type { QueueLevels } from '../emulators/queue-levels.ts';
import type { Measured } from './metric.ts';

/** What SQS tells CloudWatch of a queue. */
export function levelMetrics(levels: QueueLevels, now: number): Measured[] {
  const { queue, visible, inFlight, delayed, oldestSentAt } = levels;
  const ageSeconds = oldestSentAt === null ? 0 : Math.max(0, (now - oldestSentAt) / 1_000);
  const values = {
    ApproximateNumberOfMessagesVisible: visible,
    ApproximateNumberOfMessagesNotVisible: inFlight,
    ApproximateNumberOfMessagesDelayed: delayed,
    ApproximateAgeOfOldestMessage: Math.round(ageSeconds),
  };
  return Object.entries(values).map(([name, value]) => ({
    metric: { namespace: 'AWS/SQS', name, dimensions: { QueueName: queue } },
    values: [value],
  }));
}
