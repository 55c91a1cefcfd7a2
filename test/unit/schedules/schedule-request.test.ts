import { describe, expect, it } from '@jest/globals';
import { RUN_METADATA, scheduleRequestSchema } from '../../../src/protocol/schedule.ts';
import { submitRequestSchema } from '../../../src/protocol/submit-request.ts';

const HOURLY = { expression: 'rate(1 hour)', agent: 'echo', input: { value: 1 } };

const entries = (count: number): Record<string, string> =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`m${index}`, '']));

const withInput = (value: unknown) => ({ ...HOURLY, input: { value } });

const paths = (body: object): (PropertyKey | undefined)[] =>
  (scheduleRequestSchema.safeParse(body).error?.issues ?? []).map(({ path }) => path[0]);

/** What a run adds beside the entries of its schedule. */
const OF_RUN = {
  [RUN_METADATA.schedule]: 'x'.repeat(64),
  [RUN_METADATA.scheduledAt]: new Date(0).toISOString(),
};

describe('metadata of a schedule', () => {
  it.each([
    { name: 'as many entries as there may be', metadata: entries(14) },
    { name: 'two more, which stand for those of the run', metadata: { ...entries(14), ...OF_RUN } },
    { name: 'as many bytes as there may be', metadata: { m: 'x'.repeat(256), n: 'x'.repeat(117) } },
  ])('with $name makes runs that are taken', ({ metadata }) => {
    expect(paths({ ...HOURLY, metadata })).toEqual([]);
    const { agent, input } = HOURLY;
    const run = { agent, input, metadata: { ...OF_RUN, ...metadata } };
    expect(submitRequestSchema.safeParse(run).error).toBeUndefined();
  });

  it.each([15, 16, 17])('of %i entries is refused, since each run would be', (count) => {
    expect(paths({ ...HOURLY, metadata: entries(count) })).toContain('metadata');
  });
});

describe('the input of a schedule', () => {
  it.each([
    {
      name: 'is as large as the table takes',
      text: 'x'.repeat(8_192 - '{"value":""}'.length),
      at: [],
    },
    { name: 'is above that', text: 'x'.repeat(8_193 - '{"value":""}'.length), at: ['input'] },
    { name: 'is above that in UTF-8', text: 'ü'.repeat(5_000), at: ['input'] },
  ])('$name', ({ text, at }) => {
    expect(paths(withInput(text))).toEqual(at);
  });

  it('is measured as it is kept, whatever it was written like', () => {
    const body = `[${Array.from({ length: 500 }, () => '1e20').join()}]`;
    expect(body.length).toBeLessThan(8_192);
    expect(paths(withInput(JSON.parse(body)))).toEqual(['input']);
  });
});
