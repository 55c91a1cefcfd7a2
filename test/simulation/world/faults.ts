import type { Random } from './random.ts';

/** What may go wrong with one call. */
export type Fault =
  | 'throttle'
  | 'loseAnswer'
  | 'late'
  | 'resend'
  | 'slow'
  | 'dieBefore'
  | 'dieAfter'
  | 'freezeBefore'
  | 'freezeAfter';

const FAULTS: readonly Fault[] = [
  'throttle',
  'loseAnswer',
  'late',
  'resend',
  'slow',
  'dieBefore',
  'dieAfter',
  'freezeBefore',
  'freezeAfter',
];

/** How bad the world of one seed is. */
export interface Weather {
  readonly faults: readonly (readonly [Fault, number])[];
  /** Sum of the probabilities above. */
  readonly anyFault: number;
  readonly freezeMs: readonly [number, number];
  readonly duplicateMessage: number;
  readonly delayMessage: number;
  readonly loseMessage: number;
  readonly loseDelete: number;
  /** The index names what is not due, or not what is. */
  readonly lateIndex: number;
  /** Reads that may be old are old. */
  readonly staleRead: number;
  /** The items of one query are read at different moments. */
  tornQuery: number;
  readonly skewMs: number;
  /** How long an environment may go on after its invocation should have ended. */
  readonly overrunMs: number;
}

const INTENSITIES = [0, 0, 0.003, 0.01, 0.03] as const;

/** Some seeds have one kind of fault only, some many, some nearly none. */
export function drawWeather(random: Random): Weather {
  const calm = random.chance(0.1);
  const faults = FAULTS.flatMap((fault) => {
    const share = fault.startsWith('die') || fault.startsWith('freeze') ? 0.5 : 1;
    const probability = calm ? 0 : random.pick(INTENSITIES) * share;
    return probability === 0 ? [] : [[fault, probability] as const];
  });
  const sometimes = (probability: number): number =>
    !calm && random.chance(0.5) ? probability : 0;
  return {
    faults,
    anyFault: faults.reduce((sum, [, probability]) => sum + probability, 0),
    freezeMs: random.pick([
      [5_000, 40_000],
      [20_000, 200_000],
      [60_000, 400_000],
    ]),
    duplicateMessage: sometimes(0.2),
    delayMessage: sometimes(0.2),
    loseMessage: sometimes(0.1),
    loseDelete: sometimes(0.2),
    lateIndex: sometimes(0.2),
    staleRead: sometimes(0.3),
    tornQuery: sometimes(0.5),
    skewMs: random.pick([0, 500, 3_000]),
    overrunMs: sometimes(300_000),
  };
}

export function drawFault(random: Random, weather: Weather): Fault | undefined {
  let left = random.next();
  if (left >= weather.anyFault) return undefined;
  for (const [fault, probability] of weather.faults) {
    left -= probability;
    if (left < 0) return fault;
  }
  return undefined;
}
