import { Duration } from 'aws-cdk-lib';
import { ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { ALARMS, METRICS } from '../../../src/settings/names.ts';
import type { LonghaulConfig } from '../../config.ts';
import { formula, ownMetric } from './metrics.ts';
import type { Watched } from './watched.ts';

/** What makes an alarm go off; the rest is the same for all. */
export interface AlarmSpec {
  readonly name: string;
  /** What it means, in a sentence without a full stop. */
  readonly description: string;
  readonly metric: IMetric;
  /** It goes off above this; below it where `isFloor`. */
  readonly threshold: number;
  readonly isFloor?: boolean;
  /** Periods in a row. */
  readonly periods?: number;
}

const FIVE_MINUTES = Duration.minutes(5);
const FIFTEEN_MINUTES = Duration.minutes(15);
const { names } = METRICS;

/** Every alarm of a deployment; `docs/runbook.md` has a section for each. */
export function alarmSpecs(watched: Watched, config: LonghaulConfig): AlarmSpec[] {
  return [
    ...deadLetterAlarms(watched, config),
    ...progressAlarms(watched, config),
    ...workerAlarms(watched, config),
    ...surroundingAlarms(watched, config),
  ];
}

function deadLetterAlarms(
  { queue, notifications }: Watched,
  { alarms }: LonghaulConfig,
): AlarmSpec[] {
  return [
    {
      name: ALARMS.deadLetterQueueNotEmpty,
      description: 'a job was given up or a message could not be read',
      metric: queue.deadLetters.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: 0,
    },
    {
      name: ALARMS.deadLettersGrowing,
      description: 'jobs are given up one after the other: what they all call is probably down',
      metric: ownMetric(names.deadLetters, 'Sum', { period: FIVE_MINUTES }),
      threshold: alarms.deadLettersPerFiveMinutes,
    },
    {
      name: ALARMS.undeliveredQueueNotEmpty,
      description: 'a webhook was given up after every try of its time',
      metric: notifications.undelivered.metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: 0,
    },
  ];
}

function progressAlarms({ queue }: Watched, { alarms }: LonghaulConfig): AlarmSpec[] {
  return [
    {
      name: ALARMS.oldestMessageTooOld,
      description: 'jobs wait longer for a worker than they should',
      metric: queue.jobs.metricApproximateAgeOfOldestMessage({
        period: Duration.minutes(1),
        statistic: 'Maximum',
      }),
      threshold: alarms.oldestMessageSeconds,
      periods: 5,
    },
    {
      name: ALARMS.jobsOverdue,
      description: 'something that should have happened to jobs has not',
      metric: ownMetric(names.overdueJobs, 'Sum', { period: FIFTEEN_MINUTES }),
      threshold: alarms.overdueJobs,
    },
    {
      name: ALARMS.sweeperSilent,
      description: 'nothing looks for overdue jobs: what a crash or a lost message stops stays so',
      metric: ownMetric(names.sweeps, 'Sum', { period: FIVE_MINUTES }),
      threshold: 1,
      isFloor: true,
    },
    {
      name: ALARMS.endToEndSlow,
      description: 'one job in twenty takes longer than its objective',
      metric: ownMetric(names.endToEndMs, 'p95', { period: FIFTEEN_MINUTES }),
      threshold: alarms.endToEndSeconds * 1_000,
    },
    {
      name: ALARMS.enqueueFailed,
      description:
        'jobs were accepted but their messages refused: they begin only when the sweeper finds them',
      metric: ownMetric(names.enqueueFailed, 'Sum', { period: FIVE_MINUTES }),
      threshold: 0,
    },
  ];
}

function workerAlarms(
  { functions, outOfMemory }: Watched,
  { alarms }: LonghaulConfig,
): AlarmSpec[] {
  const { worker } = functions;
  const sum = { period: FIVE_MINUTES, statistic: 'Sum' };
  return [
    {
      name: ALARMS.workerErrors,
      description: 'invocations of the worker fail',
      metric: worker.metricErrors(sum),
      threshold: alarms.workerErrorsPerFiveMinutes,
    },
    {
      name: ALARMS.workerThrottled,
      description:
        'Lambda refuses to start workers: the concurrency of the account or the function is used up',
      metric: worker.metricThrottles(sum),
      threshold: 0,
      periods: 3,
    },
    {
      name: ALARMS.workerOutOfMemory,
      description: 'a worker ran out of memory',
      metric: outOfMemory.metric(sum),
      threshold: 0,
    },
    {
      name: ALARMS.workerRecursionDropped,
      description: 'Lambda took a job with many slices for an endless loop and dropped its message',
      metric: worker.metric('RecursiveInvocationsDropped', sum),
      threshold: 0,
    },
    {
      name: ALARMS.agentMissing,
      description: 'jobs wait for an agent that this deployment does not have, or refuses',
      metric: formula(
        'FILL(missing, 0) + FILL(refused, 0)',
        {
          missing: ownMetric(names.agentMissing, 'Sum', { period: FIFTEEN_MINUTES }),
          refused: ownMetric(names.agentRefused, 'Sum', { period: FIFTEEN_MINUTES }),
        },
        'missing or refused',
        FIFTEEN_MINUTES,
      ),
      threshold: 0,
    },
  ];
}

function surroundingAlarms({ api, tables }: Watched, { alarms }: LonghaulConfig): AlarmSpec[] {
  return [
    {
      name: ALARMS.scheduleRunsFailed,
      description: 'a schedule was due and its job refused: it will be the next time, too',
      metric: ownMetric(names.scheduleRunsFailed, 'Sum', { period: FIVE_MINUTES }),
      threshold: 0,
    },
    {
      name: ALARMS.apiServerErrors,
      description: 'the API answers with 5xx',
      metric: api.metricServerError({ period: FIVE_MINUTES, statistic: 'Sum' }),
      threshold: alarms.apiServerErrorsPerFiveMinutes,
    },
    {
      name: ALARMS.tableThrottled,
      description: 'DynamoDB refuses reads or writes',
      metric: throttles(tables),
      threshold: 0,
      periods: 3,
    },
  ];
}

/** Of the tables and, since a throttled index throttles its table, of their indexes. */
function throttles(tables: Watched['tables']): IMetric {
  const metrics = tables.flatMap(({ table, indexes }) =>
    ['ReadThrottleEvents', 'WriteThrottleEvents'].flatMap((name) => [
      table.metric(name, { period: FIVE_MINUTES, statistic: 'Sum' }),
      ...indexes.map((index) =>
        table.metric(name, {
          period: FIVE_MINUTES,
          statistic: 'Sum',
          dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: index },
        }),
      ),
    ]),
  );
  const named = Object.fromEntries(metrics.map((metric, index) => [`m${index}`, metric]));
  return formula('SUM(METRICS())', named, 'throttled', FIVE_MINUTES);
}

export function comparison({ isFloor = false }: AlarmSpec) {
  return isFloor
    ? {
        comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.BREACHING,
      }
    : {
        comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
        treatMissingData: TreatMissingData.NOT_BREACHING,
      };
}
