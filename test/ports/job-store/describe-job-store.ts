import { describe } from '@jest/globals';
import type { JobStore } from '../../../src/core/ports/job-store.ts';
import { describeCreating } from './creating.ts';
import { describeDeliveries } from './deliveries.ts';
import { describeDeadLetters } from './dead-letters.ts';
import { describeDueIndex } from './due-index.ts';
import { describeExpiry } from './expiry.ts';
import { describeJournal } from './journal.ts';
import { describeListing } from './listing.ts';
import { describeManifests } from './manifests.ts';
import { describePutOnce } from './put-once.ts';
import { describeUpdating } from './updating.ts';

/** Stands still until a test moves it. */
export interface HandClock {
  time: number;
  now(): number;
}

export interface JobStoreUnderTest {
  readonly store: JobStore;
  readonly clock: HandClock;
}

/** An empty store, made anew for every test; its clock stands at `NOON`. */
export type MakeJobStore = () => Promise<JobStoreUnderTest>;

/** What every job store does, whatever it is built on. */
export function describeJobStore(name: string, make: MakeJobStore): void {
  describe(`job store: ${name}`, () => {
    describeCreating(make);
    describeUpdating(make);
    describeJournal(make);
    describePutOnce(make);
    describeManifests(make);
    describeDeliveries(make);
    describeDueIndex(make);
    describeListing(make);
    describeDeadLetters(make);
    describeExpiry(make);
  });
}
