import { DeleteCommand, QueryCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { ListedSchedule, ScheduleStore } from '../../core/ports/schedule-store.ts';
import type {
  Schedule,
  ScheduledJob,
  ScheduleId,
  ScheduleRun,
  Timing,
} from '../../core/schedules/schedule.ts';
import { attempt } from './attempt.ts';
import {
  isScheduleRun,
  SCHEDULE_KEYS,
  scheduleKey,
  scheduleNameOf,
  scheduleRunKey,
  tenantIdOf,
} from './keys.ts';
import { getItem, type Item, putItem, queryRange, rangeQuery, type Table } from './table.ts';

/** An item for each schedule in the partition of its tenant, and one for its last run, which changes more often. */
export function dynamoScheduleStore(table: Table): ScheduleStore {
  const find = async (id: ScheduleId) => {
    const item = await getItem(table, scheduleKey(id));
    return item && fromItem(item);
  };
  return {
    find,
    list: (tenantId) => list(table, tenantId),
    count: (tenantId) => count(table, tenantId),
    put: async (schedule, instead) => {
      if (await putInstead(table, schedule, instead)) return true;
      // Refused, too, when an earlier try of this very request was applied and its answer lost.
      return (await find(schedule))?.revision === schedule.revision;
    },
    confirmArmed: (schedule) => confirmArmed(table, schedule),
    remove: async (id) => {
      const TableName = table.name;
      await table.client.send(new DeleteCommand({ TableName, Key: scheduleRunKey(id) }));
      await table.client.send(new DeleteCommand({ TableName, Key: scheduleKey(id) }));
    },
    findRun: async (id) => {
      const item = await getItem(table, scheduleRunKey(id));
      return item && runOf(item);
    },
    recordRun: (id, run) => recordRun(table, id, run),
  };
}

function tenantRange(tenantId: string) {
  const { pk } = scheduleKey({ tenantId, name: '' });
  return { pk, ...SCHEDULE_KEYS };
}

async function list(table: Table, tenantId: string): Promise<ListedSchedule[]> {
  const items = await queryRange(table, tenantRange(tenantId), { ConsistentRead: true });
  const runs = new Map(
    items
      .filter(({ sk }) => isScheduleRun(sk as string))
      .map((item) => [scheduleNameOf(item['sk'] as string), runOf(item)]),
  );
  return items
    .filter(({ sk }) => !isScheduleRun(sk as string))
    .map((item) => {
      const schedule = fromItem(item);
      const lastRun = runs.get(schedule.name);
      return { schedule, ...(lastRun && { lastRun }) };
    });
}

/** Runs are no schedules: only these have a revision. */
async function count(table: Table, tenantId: string): Promise<number> {
  const query = rangeQuery(table, tenantRange(tenantId));
  let found = 0;
  let startKey: Item | undefined;
  do {
    const answer = await table.client.send(
      new QueryCommand({
        ...query,
        FilterExpression: 'attribute_exists(#revision)',
        ExpressionAttributeNames: { ...query.ExpressionAttributeNames, '#revision': 'revision' },
        Select: 'COUNT',
        ConsistentRead: true,
        ExclusiveStartKey: startKey,
      }),
    );
    found += answer.Count ?? 0;
    startKey = answer.LastEvaluatedKey;
  } while (startKey !== undefined);
  return found;
}

async function putInstead(
  table: Table,
  schedule: Schedule,
  instead: string | undefined,
): Promise<boolean> {
  const put = putItem(table, toItem(schedule), {
    ConditionExpression:
      instead === undefined ? 'attribute_not_exists(#revision)' : '#revision = :instead',
    ExpressionAttributeNames: { '#revision': 'revision' },
    ...(instead !== undefined && { ExpressionAttributeValues: { ':instead': instead } }),
  });
  return (await attempt(put)).applied;
}

async function confirmArmed(table: Table, schedule: Schedule): Promise<boolean> {
  const update = new UpdateCommand({
    TableName: table.name,
    Key: scheduleKey(schedule),
    UpdateExpression: 'SET #armed = :revision',
    ConditionExpression: '#revision = :revision',
    ExpressionAttributeNames: { '#armed': 'armedRevision', '#revision': 'revision' },
    ExpressionAttributeValues: { ':revision': schedule.revision },
  });
  return (await attempt(table.client.send(update))).applied;
}

async function recordRun(table: Table, id: ScheduleId, run: ScheduleRun): Promise<void> {
  const put = putItem(
    table,
    { ...scheduleRunKey(id), ...run },
    {
      ConditionExpression: 'attribute_not_exists(#at) OR #at <= :at',
      ExpressionAttributeNames: { '#at': 'scheduledAt' },
      ExpressionAttributeValues: { ':at': run.scheduledAt },
    },
  );
  await attempt(put);
}

/** What a run submits is a value of the tenant's, which goes in as the text it came as. */
function toItem(schedule: Schedule): Item {
  const { revision, isPaused, timing, job, isArmed, createdAt, updatedAt } = schedule;
  return {
    ...scheduleKey(schedule),
    revision,
    isPaused,
    timing,
    job: JSON.stringify(job),
    ...(isArmed && { armedRevision: revision }),
    createdAt,
    updatedAt,
  };
}

function fromItem(item: Item): Schedule {
  return {
    tenantId: tenantIdOf(item['pk'] as string),
    name: scheduleNameOf(item['sk'] as string),
    revision: item['revision'] as string,
    isPaused: item['isPaused'] as boolean,
    timing: item['timing'] as Timing,
    job: JSON.parse(item['job'] as string) as ScheduledJob,
    isArmed: item['armedRevision'] === item['revision'],
    createdAt: item['createdAt'] as number,
    updatedAt: item['updatedAt'] as number,
  };
}

function runOf({ pk: _pk, sk: _sk, ...run }: Item): ScheduleRun {
  return run as unknown as ScheduleRun;
}
