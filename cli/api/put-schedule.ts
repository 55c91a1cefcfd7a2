import { parseArgs } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { exactly } from './arguments.ts';
import { JOB_OPTIONS, jobFieldsOf } from './job-options.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { INPUT_OPTIONS, readJson } from './read-json.ts';
import { scheduleLine } from './schedules.ts';

const text = { type: 'string' } as const;
const OPTIONS = {
  ...API_OPTIONS,
  ...INPUT_OPTIONS,
  expression: text,
  timezone: text,
  agent: text,
  ...JOB_OPTIONS,
  'start-at': text,
  'end-at': text,
} as const;

/** `schedules put` */
export async function putSchedule(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: OPTIONS,
  });
  const [name] = exactly(positionals, ['<name>']);
  const { expression, timezone, agent, 'start-at': startAt, 'end-at': endAt } = values;
  if (expression === undefined) {
    throw new UsageError(
      "--expression is missing: give 'cron(0 9 ? * MON-FRI *)' or 'rate(1 hour)'",
    );
  }
  if (agent === undefined) throw new UsageError('--agent is missing: give the name of an agent');
  const fields = jobFieldsOf(values);
  const client = openApi(values, terminal);
  const schedule = await client.putSchedule(name, {
    expression,
    agent,
    input: JSON.parse(await readJson(values, terminal)) as unknown,
    ...fields,
    ...(timezone !== undefined && { timezone }),
    ...(startAt !== undefined && { startAt }),
    ...(endAt !== undefined && { endAt }),
  });
  terminal.out(values.json ? JSON.stringify(schedule) : scheduleLine(schedule));
}
