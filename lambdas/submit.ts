import { registry } from '#agents';
import { composeSubmit } from './compose.ts';

export const handler = composeSubmit(registry);
