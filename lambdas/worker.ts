import { registry } from '#agents';
import { composeWorker } from './compose.ts';

export const handler = composeWorker(registry);
