import { registry } from '#agents';
import { configured } from '#schedules';
import { composeSchedules } from './compose.ts';

export const handler = composeSchedules(registry, configured);
