import { composeApi } from './compose.ts';

export const handler = composeApi();
