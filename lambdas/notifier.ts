import { composeNotifier } from './compose.ts';

export const handler = composeNotifier();
