import { describe } from '@jest/globals';
import { describeHistory } from '../test/support/golden-history.ts';
import { greet } from './greet.ts';

describe('greet', () => {
  const input = { names: ['Ada', 'Grace', 'Katherine', 'Mary', 'Radia'] };
  describeHistory(greet, input, new URL('greet.history.json', import.meta.url));
});
