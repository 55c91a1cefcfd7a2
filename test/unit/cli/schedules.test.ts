import { describe, expect, it } from '@jest/globals';
import { commandLine } from '../../support/command-line.ts';
import { json, problem } from '../../support/fake-api.ts';

const HOURLY = {
  name: 'hourly',
  origin: 'api',
  state: 'active',
  expression: 'rate(1 hour)',
  timezone: 'UTC',
  agent: 'greet',
  nextRunAt: '2026-11-30T10:00:00.000Z',
};
const PUT = [
  ...['schedules', 'put', 'hourly', '--expression', 'rate(1 hour)', '--agent', 'greet'],
  ...['--input', '{"names": ["Ada"]}'],
];

describe('longhaul schedules', () => {
  it('put sends all that a schedule may hold: what is left out would be taken from it', async () => {
    const { code, out, sent } = await commandLine(
      [
        ...[...PUT, '--timezone', 'Europe/Berlin', '--tag', 'a', '--metadata', 'desk=north'],
        ...['--start-at', '2027-01-01T00:00:00Z', '--end-at', '2028-01-01T00:00:00Z'],
        ...['--max-steps', '5', '--max-duration', '2h'],
        ...['--notify', 'https://x.test/', '--notify-on', 'failed'],
      ],
      { replies: [json(201, HOURLY)] },
    );

    expect({ code, out }).toEqual({
      code: 0,
      out: ['hourly  active  rate(1 hour) UTC  greet  next 2026-11-30T10:00:00.000Z  last -'],
    });
    expect(sent[0]).toMatchObject({ method: 'PUT', path: '/schedules/hourly' });
    expect(sent[0]?.body).toEqual({
      expression: 'rate(1 hour)',
      timezone: 'Europe/Berlin',
      startAt: '2027-01-01T00:00:00Z',
      endAt: '2028-01-01T00:00:00Z',
      agent: 'greet',
      input: { names: ['Ada'] },
      tags: ['a'],
      metadata: { desk: 'north' },
      limits: { maxSteps: 5, maxDuration: '2h' },
      notify: { url: 'https://x.test/', events: ['failed'] },
    });
  });

  it.each([
    { name: 'put without a name', args: ['put'] },
    { name: 'put without an expression', args: ['put', 'x', '--agent', 'greet', '--input', '1'] },
    { name: 'put without an agent', args: ['put', 'x', '--expression', 'rate(1 hour)'] },
    { name: 'put with no JSON', args: [...PUT.slice(1, -1), '{'] },
    { name: 'put with no pair for metadata', args: [...PUT.slice(1), '--metadata', 'desk'] },
    { name: 'put with events for no URL', args: [...PUT.slice(1), '--notify-on', 'failed'] },
    { name: 'delete of two', args: ['delete', 'x', 'y'] },
    { name: 'get of nothing', args: ['get'] },
    { name: 'list of something', args: ['list', 'x'] },
  ])('$name is called wrongly: nothing is sent', async ({ args }) => {
    const { code, out, sent } = await commandLine(['schedules', ...args]);
    expect({ code, out, sent }).toEqual({ code: 2, out: [], sent: [] });
  });

  it('list prints a line for each, and with --json a document for each', async () => {
    const run = { replies: [json(200, { schedules: [HOURLY, { ...HOURLY, name: 'other' }] })] };
    expect((await commandLine(['schedules', 'list'], run)).out).toHaveLength(2);
    const { out } = await commandLine(['schedules', 'list', '--json'], {
      replies: [json(200, { schedules: [HOURLY] })],
    });
    expect(out.map((line) => JSON.parse(line) as unknown)).toEqual([HOURLY]);
  });

  it('delete of one that is not there fails, with JSON on standard error where it is asked for', async () => {
    const { code, out, notes } = await commandLine(['schedules', 'delete', 'x', '--json'], {
      replies: [problem(404, 'not_found')],
    });
    expect({ code, out }).toEqual({ code: 1, out: [] });
    expect(JSON.parse(notes)).toMatchObject({ code: 'not_found', status: 404 });
  });
});
