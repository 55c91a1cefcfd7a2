import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import { type AgentDefinition, defineAgent } from '../../src/agent/index.ts';

const any = z.any();
const agent = { name: 'a', input: any, output: any, run: () => Promise.resolve() };

describe('defineAgent', () => {
  it.each([
    { name: 'no input', part: { input: undefined }, says: 'agent input is "undefined"' },
    { name: 'an input of JSON Schema', part: { input: { type: 'object' } }, says: 'agent input' },
    { name: 'no output', part: { output: undefined }, says: 'agent output is "undefined"' },
    { name: 'a name with blanks', part: { name: 'My agent' }, says: 'agent name is "My agent"' },
  ])('refuses $name', ({ part, says }) => {
    const definition = { ...agent, ...part } as unknown as AgentDefinition<typeof any, typeof any>;

    expect(() => defineAgent(definition)).toThrow(says);
  });
});
