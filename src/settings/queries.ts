/**
 * Queries of CloudWatch Logs Insights that `docs/runbook.md` shows and each deployment saves: the functions they ask, and
 * their lines. Replace what stands in capitals.
 */
export const QUERIES = {
  JobHistory: {
    of: ['submit', 'api', 'events', 'schedules', 'worker', 'sweeper', 'notifier'],
    lines: [
      'fields @timestamp, level, message, attempt, step, code, error.name, error.message',
      'filter jobId = "JOB_ID"',
      'sort @timestamp',
      'limit 1000',
    ],
  },
  RecentErrors: {
    of: ['submit', 'api', 'events', 'schedules', 'authorizer', 'worker', 'sweeper', 'notifier'],
    lines: [
      'fields @timestamp, message, jobId, requestId, agent, step, error.name, error.message',
      'filter level in ["ERROR", "CRITICAL"]',
      'sort @timestamp desc',
      'limit 200',
    ],
  },
  FailuresByError: {
    of: ['worker'],
    lines: [
      'filter message = "job failed"',
      'stats count() as jobs by agent, error.code, error.step, error.cause.name, error.cause.message',
      'sort jobs desc',
      'limit 50',
    ],
  },
  DeadWorkers: {
    of: ['worker'],
    lines: [
      'filter @message like /Runtime exited|Task timed out|Runtime.OutOfMemory|signal: killed/',
      'fields @timestamp, @requestId, @message',
      'sort @timestamp desc',
      'limit 100',
    ],
  },
  SweeperFinds: {
    of: ['sweeper'],
    lines: [
      'fields @timestamp, message, jobId, reason, status, invocationId, jobs',
      'filter message like /overdue|lease|duty|look/',
      'sort @timestamp desc',
      'limit 200',
    ],
  },
  ApiFailures: {
    of: ['submit', 'api', 'events', 'schedules'],
    lines: [
      'filter message in ["request", "request failed"] and (status >= 500 or ispresent(error.message))',
      'fields @timestamp, requestId, method, resource, code, error.name, error.message',
      'sort @timestamp desc',
      'limit 200',
    ],
  },
  MemoryUse: {
    of: ['worker'],
    lines: [
      'filter @type = "REPORT"',
      'stats max(@maxMemoryUsed / 1000 / 1000) as usedMb, max(@memorySize / 1000 / 1000) as givenMb, pct(@duration, 95) as p95Ms by bin(5m)',
    ],
  },
} as const;
