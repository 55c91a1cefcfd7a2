import type { ConfiguredSchedule } from '../../src/core/schedules/schedule.ts';

/** Schedules of a deployment without any; the construct puts those of its configuration in the place of this file. */
export const configured: readonly ConfiguredSchedule[] = [];
