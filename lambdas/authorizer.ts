import { composeAuthorizer } from './compose.ts';

export const handler = composeAuthorizer();
