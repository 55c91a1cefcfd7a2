import { parseArgs } from 'node:util';
import type { Schedule } from '../../client/index.ts';
import type { Command, Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { printable } from './printable.ts';

/** `schedules list`: one line for each. */
export async function listSchedules(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parse(args);
  exactly(positionals, []);
  for (const schedule of await openApi(values, terminal).schedules()) {
    terminal.out(values.json ? JSON.stringify(schedule) : scheduleLine(schedule));
  }
}

/** `schedules get` */
export async function getSchedule(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parse(args);
  const [name] = exactly(positionals, ['<name>']);
  const schedule = await openApi(values, terminal).schedule(name);
  terminal.out(JSON.stringify(schedule, undefined, values.json ? undefined : 2));
}

/** `schedules pause` and `schedules resume` */
export function controlSchedule(control: 'pauseSchedule' | 'resumeSchedule'): Command {
  return async (args, terminal) => {
    const { values, positionals } = parse(args);
    const [name] = exactly(positionals, ['<name>']);
    const schedule = await openApi(values, terminal)[control](name);
    terminal.out(values.json ? JSON.stringify(schedule) : scheduleLine(schedule));
  };
}

/** `schedules delete` */
export async function deleteSchedule(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parse(args);
  const [name] = exactly(positionals, ['<name>']);
  await openApi(values, terminal).deleteSchedule(name);
  terminal.out(values.json ? JSON.stringify({ name, deleted: true }) : name);
  if (!values.json) terminal.note(`the schedule ${printable(name)} is deleted`);
}

function parse(args: readonly string[]) {
  return parseArgs({ args: [...args], allowPositionals: true, options: API_OPTIONS });
}

/** Its name, when it runs next and what came of the last run. */
export function scheduleLine(schedule: Schedule): string {
  const { name, state, origin, expression, timezone, agent, nextRunAt, lastRun } = schedule;
  const last = lastRun?.jobId ?? lastRun?.problem?.code;
  return printable(
    [
      name,
      origin === 'config' ? `${state} (config)` : state,
      `${expression} ${timezone}`,
      agent,
      `next ${nextRunAt ?? '-'}`,
      `last ${lastRun === undefined ? '-' : `${lastRun.scheduledAt} ${last ?? ''}`}`,
    ].join('  '),
  );
}
