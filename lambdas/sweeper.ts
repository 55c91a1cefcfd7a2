import { composeSweeper } from './compose.ts';

export const handler = composeSweeper();
