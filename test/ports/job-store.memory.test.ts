import { memoryJobStore } from '../../src/adapters/memory/job-store.ts';
import { NOON } from '../support/builders.ts';
import { describeJobStore } from './job-store/describe-job-store.ts';

describeJobStore('memory', () => {
  const clock = { time: NOON, now: () => clock.time };
  return Promise.resolve({ store: memoryJobStore(clock), clock });
});
