import { describe, expect, it } from '@jest/globals';
import { isTimeZone } from '../../../src/recurrence/time-zone.ts';

describe('a time zone', () => {
  it.each(['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Calcutta', 'Etc/GMT+5'])(
    'is known by its name: %s',
    (name) => {
      expect(isTimeZone(name)).toBe(true);
    },
  );

  it.each(['', 'Mars/Olympus', '+01:00', 'europe/berlin', 'Europe/Berlin ', 'Berlin'])(
    'is not %j',
    (name) => {
      expect(isTimeZone(name)).toBe(false);
    },
  );
});
