import { Cron } from 'croner';
import { TemplateError } from '../template/template-error.ts';

/** The run behind an instant of `cron(…)`, epoch milliseconds; undefined when there is none. */
export function cronRun(
  where: string,
  expression: string,
  { timezone, after }: { readonly timezone: string; readonly after: number },
): number | undefined {
  const [, body = ''] = /^cron\((.*)\)$/.exec(expression) ?? [];
  const [minutes, hours, dayOfMonth, month, dayOfWeek = '', year] = body.split(/\s+/);
  if (year === undefined) throw new TemplateError(where, `unknown schedule ${expression}`);
  const pattern = ['0', minutes, hours, dayOfMonth, month, crontabDays(dayOfWeek), year].join(' ');
  try {
    return new Cron(pattern, { timezone }).nextRun(new Date(after))?.getTime();
  } catch (error) {
    throw new TemplateError(where, `unknown schedule ${expression}: ${(error as Error).message}`);
  }
}

/** AWS counts days from 1 for Sunday, crontab from 0; what stands behind `#` is a week. */
function crontabDays(text: string): string {
  if (text === 'L') return '6';
  return text.replace(/(?<!#)\d/g, (day) => String(Number(day) - 1));
}
