import { composeEvents } from './compose.ts';

export const handler = composeEvents();
