const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Of zones that are in use; whoever only asks whether a name is one leaves nothing here. */
const formats = new Map<string, Intl.DateTimeFormat>();

/** Each part begins with a capital: an alias in another case would pass for a name. */
const ZONE_NAME = /^[A-Z][A-Za-z0-9_+-]*(?:\/[A-Z][A-Za-z0-9_+-]*)*$/;

/** Which the IANA database does not have. */
const ABBREVIATIONS_OF_ICU: ReadonlySet<string> = new Set(
  'ACT AET AGT ART AST BET BST CAT CNT CST CTT EAT ECT IET IST JST MIT NET NST PLT PNT PRT PST SST VST'.split(
    ' ',
  ),
);

/** Whether a text is the name of a time zone in the IANA database, as `Europe/Berlin` is; offsets are none. */
export function isTimeZone(name: string): boolean {
  if (!ZONE_NAME.test(name) || ABBREVIATIONS_OF_ICU.has(name)) return false;
  try {
    // ICU takes names in any case, and EventBridge does not.
    const { timeZone } = newFormat(name).resolvedOptions();
    return timeZone === name || timeZone.toLowerCase() !== name.toLowerCase();
  } catch {
    return false;
  }
}

/** What clocks of the zone show at an instant, as if it were UTC. */
function wallOf(instant: number, zone: string): number {
  return instant + offsetMs(instant, zone);
}

/**
 * The instant at which clocks of the zone show a time, the first of two when they are set back; undefined where they are set
 * forward across it.
 */
export function instantOf(wall: number, zone: string): number | undefined {
  const offsets = [offsetMs(wall - DAY_MS, zone), offsetMs(wall + DAY_MS, zone)];
  const instants = offsets.map((offset) => wall - offset).sort((a, b) => a - b);
  return instants.find((instant) => wallOf(instant, zone) === wall);
}

/** The longest by which clocks are set forward or back; half an hour to two in practice. */
const LONGEST_SHIFT_MS = 3 * HOUR_MS;

/** What clocks of the zone have not shown before an instant, or may show once more behind it. */
export function earliestWallAfter(instant: number, zone: string): number {
  const wall = wallOf(instant, zone);
  const isSteady = offsetMs(instant - LONGEST_SHIFT_MS, zone) === wall - instant;
  return isSteady ? wall : wall - LONGEST_SHIFT_MS;
}

function offsetMs(instant: number, zone: string): number {
  const second = Math.floor(instant / 1_000) * 1_000;
  const parts = Object.fromEntries(
    formatOf(zone)
      .formatToParts(second)
      .map(({ type, value }) => [type, Number(value)]),
  );
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second: seconds = 0 } = parts;
  return Date.UTC(year, month - 1, day, hour, minute, seconds) - second;
}

function formatOf(zone: string): Intl.DateTimeFormat {
  const known = formats.get(zone);
  if (known !== undefined) return known;
  const made = newFormat(zone);
  formats.set(zone, made);
  return made;
}

function newFormat(zone: string): Intl.DateTimeFormat {
  return new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    calendar: 'gregory',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
}
