import { describe, expect, it, jest } from '@jest/globals';
import { isTimeZone } from '../../../src/recurrence/time-zone.ts';

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Calcutta', 'Etc/GMT+5'])(
    'is known by its name: %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(['US/Pacific', 'GB-Eire', 'EST5EDT', 'CET', 'Zulu'])(
    'is known by an older one: %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each([
    '',
    'Mars/Olympus',
    '+01:00',
    'europe/berlin',
    'us/pacific',
    'Etc/gmt+5',
    'PST',
    'Europe/Berlin ',
    'Berlin',
  ])('is not %j', (name) => {
    expect(isTimeZone(name)).toBe(false);
  });

  it('leaves nothing in memory for each way to write it wrong', () => {
    const made = jest.spyOn(Intl, 'DateTimeFormat');
    for (const _ of [1, 2]) expect(isTimeZone('EuropE/BerliN')).toBe(false);
    expect(made).toHaveBeenCalledTimes(2);
    made.mockRestore();
  });
});
