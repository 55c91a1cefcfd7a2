import { describe, expect, it } from '@jest/globals';
import { Cron } from 'croner';
import { nextRun, type RunBounds } from '../../../src/recurrence/next-run.ts';
import { parseRecurrence } from '../../../src/recurrence/recurrence.ts';

const at = (text: string) => Date.parse(text);
const NOON = at('2030-01-01T12:00:00Z');

/** The first runs behind an instant, as ISO 8601. */
function runs(
  expression: string,
  {
    after = NOON,
    timezone = 'UTC',
    count = 3,
    ...bounds
  }: Partial<RunBounds> & { readonly after?: number; readonly count?: number } = {},
): string[] {
  const recurrence = parseRecurrence(expression);
  const found: string[] = [];
  let behind = after;
  while (found.length < count) {
    const run = nextRun(recurrence, { timezone, anchorAt: after, ...bounds }, behind);
    if (run === undefined) break;
    found.push(new Date(run).toISOString().replace(':00.000Z', 'Z'));
    behind = run;
  }
  return found;
}

describe('the next run', () => {
  it.each([
    {
      name: 'weekdays at nine',
      expression: 'cron(0 9 ? * MON-FRI *)',
      expected: ['2030-01-02T09:00Z', '2030-01-03T09:00Z', '2030-01-04T09:00Z'],
    },
    {
      name: 'Sundays, which are day 1',
      expression: 'cron(30 8 ? * 1 *)',
      expected: ['2030-01-06T08:30Z', '2030-01-13T08:30Z', '2030-01-20T08:30Z'],
    },
    {
      name: 'Saturdays as the last day of the week',
      expression: 'cron(0 0 ? * L *)',
      expected: ['2030-01-05T00:00Z', '2030-01-12T00:00Z', '2030-01-19T00:00Z'],
    },
    {
      name: 'a step of minutes',
      expression: 'cron(0/20 * * * ? *)',
      expected: ['2030-01-01T12:20Z', '2030-01-01T12:40Z', '2030-01-01T13:00Z'],
    },
    {
      name: 'a value with a step',
      expression: 'cron(5 6/9 * * ? *)',
      expected: ['2030-01-01T15:05Z', '2030-01-02T06:05Z', '2030-01-02T15:05Z'],
    },
    {
      name: 'lists and ranges',
      expression: 'cron(0 1,20-21 10,12 * ? *)',
      expected: ['2030-01-10T01:00Z', '2030-01-10T20:00Z', '2030-01-10T21:00Z'],
    },
    {
      name: 'the last day of each month',
      expression: 'cron(0 0 L * ? *)',
      expected: ['2030-01-31T00:00Z', '2030-02-28T00:00Z', '2030-03-31T00:00Z'],
    },
    {
      name: 'the 31st, where there is one',
      expression: 'cron(0 0 31 * ? *)',
      expected: ['2030-01-31T00:00Z', '2030-03-31T00:00Z', '2030-05-31T00:00Z'],
    },
    {
      name: 'a leap day',
      expression: 'cron(0 0 29 FEB ? *)',
      expected: ['2032-02-29T00:00Z', '2036-02-29T00:00Z', '2040-02-29T00:00Z'],
    },
    {
      name: 'the weekday nearest to a day, in its month',
      expression: 'cron(0 0 1W * ? *)',
      // 1 June 2030 is a Saturday, 1 September a Sunday.
      after: at('2030-05-15T00:00:00Z'),
      expected: ['2030-06-03T00:00Z', '2030-07-01T00:00Z', '2030-08-01T00:00Z'],
    },
    {
      name: 'the last Friday of each month',
      expression: 'cron(0 0 ? * 6L *)',
      expected: ['2030-01-25T00:00Z', '2030-02-22T00:00Z', '2030-03-29T00:00Z'],
    },
    {
      name: 'the second Tuesday of each month',
      expression: 'cron(0 0 ? * TUE#2 *)',
      expected: ['2030-01-08T00:00Z', '2030-02-12T00:00Z', '2030-03-12T00:00Z'],
    },
    {
      name: 'years that are named, to the last',
      expression: 'cron(0 0 1 1 ? 2031,2040)',
      expected: ['2031-01-01T00:00Z', '2040-01-01T00:00Z'],
    },
    { name: 'no year that is left', expression: 'cron(0 0 1 1 ? 2029)', expected: [] },
    { name: 'a day that never comes', expression: 'cron(0 0 31 2 ? *)', expected: [] },
  ])('meets $name', ({ expression, expected, after = NOON }) => {
    expect(runs(expression, { after })).toEqual(expected);
  });

  it('goes by the clocks of its zone', () => {
    expect(runs('cron(0 9 * * ? *)', { timezone: 'Asia/Kolkata', count: 1 })).toEqual([
      '2030-01-02T03:30Z',
    ]);
  });

  it('leaves out a time that clocks leave out', () => {
    const after = at('2030-03-30T12:00:00Z');
    // In Berlin 02:00 becomes 03:00 on 31 March 2030.
    expect(runs('cron(30 2 * * ? *)', { timezone: 'Europe/Berlin', after, count: 2 })).toEqual([
      '2030-04-01T00:30Z',
      '2030-04-02T00:30Z',
    ]);
  });

  it('counts a time once that clocks show twice', () => {
    const after = at('2030-10-26T12:00:00Z');
    // In Berlin 03:00 becomes 02:00 on 27 October 2030, at 01:00 UTC.
    expect(runs('cron(30 2 * * ? *)', { timezone: 'Europe/Berlin', after, count: 2 })).toEqual([
      '2030-10-27T00:30Z',
      '2030-10-28T01:30Z',
    ]);
  });

  it('goes on behind the second showing when it is asked between the two', () => {
    const after = at('2030-10-27T00:45:00Z');
    expect(runs('cron(50 2 * * ? *)', { timezone: 'Europe/Berlin', after, count: 1 })).toEqual([
      '2030-10-27T00:50Z',
    ]);
    expect(runs('cron(40 2 * * ? *)', { timezone: 'Europe/Berlin', after, count: 1 })).toEqual([
      '2030-10-28T01:40Z',
    ]);
  });

  it.each([
    { name: 'an interval after the anchor', bounds: {}, expected: ['12:15', '12:30'] },
    {
      name: 'at the start, where there is one',
      bounds: { startAt: NOON + 60_000 },
      expected: ['12:01', '12:16'],
    },
    { name: 'until its end', bounds: { endAt: NOON + 900_000 }, expected: ['12:15'] },
  ])('of a rate comes $name', ({ bounds, expected }) => {
    const found = runs('rate(15 minutes)', { ...bounds, count: 2 });
    expect(found).toEqual(expected.map((time) => `2030-01-01T${time}Z`));
  });

  it('of a cron expression comes at its start, and not behind its end', () => {
    const bounds = { startAt: at('2030-02-01T09:00:00Z'), endAt: at('2030-02-02T10:00:00Z') };
    expect(runs('cron(0 9 * * ? *)', bounds)).toEqual(['2030-02-01T09:00Z', '2030-02-02T09:00Z']);
  });

  it.each([
    'cron(0 9 ? * MON-FRI *)|0 9 * * 1-5',
    'cron(*/7 */5 * * ? *)|*/7 */5 * * *',
    'cron(59 23 L * ? *)|59 23 L * *',
    'cron(1 0 ? 2,8 3#5 *)|1 0 * 2,8 2#5',
    'cron(15 12 ? * 2L *)|15 12 * * 1L',
    'cron(0 4 15W * ? *)|0 4 15W * *',
  ])('is the one another implementation finds: %s', (pair) => {
    const [expression = '', pattern = ''] = pair.split('|');
    const other = new Cron(pattern, { timezone: 'Pacific/Auckland' });
    const expected = other.nextRuns(40, new Date(NOON)).map((run) => run.toISOString());
    const found = runs(expression, { timezone: 'Pacific/Auckland', count: 40 });
    expect(found).toEqual(expected.map((text) => text.replace(':00.000Z', 'Z')));
  });
});

describe('an expression', () => {
  it.each([
    ['every day', /no recurrence: write cron/],
    ['at(2030-01-01T00:00:00)', /no recurrence/],
    ['cron(0 9 * * ?)', /six fields.*here are 5/],
    ['cron()', /here are 0/],
    ['cron(0 9 * * * *)', /must be \?, and here they are \* and \*/],
    ['cron(0 9 ? * ? *)', /must be \?/],
    ['cron(60 9 * * ? *)', /"60" is no minutes: allowed are 0 to 59/],
    ['cron(0 9 ? * 0 *)', /"0" is no day of the week: allowed are 1 to 7 or SUN to SAT/],
    ['cron(0 9 ? * mon *)', /"mon" is no day of the week/],
    ['cron(0 9 ? * FRI-MON *)', /"FRI-MON" is no day of the week/],
    ['cron(0 9 1 13 ? *)', /"13" is no month/],
    ['cron(0 9 ? * MON#6 *)', /#1 to #5/],
    ['cron(0/0 9 * * ? *)', /"0\/0" is no minutes/],
    ['cron(1-2-3 9 * * ? *)', /"1-2-3" is no minutes/],
    ['cron(0 9 * * ? 1969)', /"1969" is no year: allowed are 1970 to 2199/],
    ['rate(0 minutes)', /is no rate: write rate\(1 minute\)/],
    ['rate(30 seconds)', /is no rate/],
    ['rate(1 minutes)', /is no rate/],
    ['rate(5 minute)', /is no rate/],
    ['rate(366 days)', /365 days at most/],
  ])('%s is refused in words that say what is allowed', (expression, says) => {
    expect(() => parseRecurrence(expression)).toThrow(says);
  });
});
