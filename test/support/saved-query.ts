import { QUERIES } from '../../src/settings/queries.ts';

export type QueryName = keyof typeof QUERIES;

/** A line of the log of all functions: function, environment, and what was printed. */
const LINE = /^(\S+) (\S+) (.*)$/;

/**
 * The lines that a saved query of CloudWatch Logs Insights finds in the log of the local cloud, by its filters alone: what a query
 * that the runbook names is good for. `values` take the place of what stands in capitals.
 */
export function linesOfQuery(
  log: string,
  name: QueryName,
  values: Readonly<Record<string, string>> = {},
): string[] {
  const { lines, of } = QUERIES[name];
  const filters = lines
    .filter((line) => line.startsWith('filter '))
    .map((line) => line.replace(/^filter /, ''))
    .map((line) => line.replaceAll(/"([A-Z_]{3,})"/g, (all, key) => asText(values, key, all)));
  const functions: readonly string[] = of;
  return log.split('\n').flatMap((text) => {
    const [, functionName = '', , message = ''] = LINE.exec(text) ?? [];
    const isAsked = functions.some((one) => functionName.toLowerCase().includes(one));
    const fields = { ...parsed(message), '@message': message };
    return isAsked && filters.every((filter) => holds(filter, fields)) ? [message] : [];
  });
}

const asText = (values: Readonly<Record<string, string>>, key: unknown, otherwise: string) =>
  values[String(key)] === undefined ? otherwise : JSON.stringify(values[String(key)]);

type Fields = Readonly<Record<string, unknown>>;
type Compare = (value: unknown, operand: string) => boolean;

/** The conditions that our queries use. */
const CONDITIONS: readonly (readonly [RegExp, Compare])[] = [
  [/^(\S+) in (\[.*\])$/, (value, list) => (JSON.parse(list) as unknown[]).includes(value)],
  [/^(\S+) like \/(.*)\/$/, (value, pattern) => new RegExp(pattern).test(textOf(value))],
  [/^(\S+) = "(.*)"$/, (value, text) => value === text],
  [/^(\S+) >= (\d+)$/, (value, least) => Number(value) >= Number(least)],
  [/^ispresent\((\S+)\)$/, (value) => value !== undefined],
];

function holds(condition: string, fields: Fields): boolean {
  const [, inner] = /^\(([^()]*(?:\([^()]*\)[^()]*)*)\)$/.exec(condition) ?? [];
  if (inner !== undefined) return holds(inner, fields);
  const [both, ...more] = condition.split(' and ');
  if (both !== undefined && more.length > 0) {
    return [both, ...more].every((part) => holds(part, fields));
  }
  const either = condition.split(' or ');
  if (either.length > 1) return either.some((part) => holds(part, fields));
  for (const [form, compare] of CONDITIONS) {
    const [, field = '', operand = ''] = form.exec(condition) ?? [];
    if (field !== '') return compare(valueOf(field, fields), operand);
  }
  throw new Error(`no test knows the condition ${condition}`);
}

function valueOf(path: string, fields: Fields): unknown {
  if (path in fields) return fields[path];
  return path
    .split('.')
    .reduce<unknown>((value, name) => (value as Fields | undefined)?.[name], fields);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');

function parsed(line: string): Fields {
  try {
    return JSON.parse(line) as Fields;
  } catch {
    return {};
  }
}
