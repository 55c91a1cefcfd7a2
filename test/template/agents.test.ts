import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkAgents } from '../../lib/check-agents.ts';
import { loadAgents } from '../../lib/load-agents.ts';
import { resolveConfig } from '../../lib/config.ts';

const AGENT_API = pathToFileURL('src/agent/index.ts').pathname;
const SCHEMA = `{ '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }`;

describe('agents at synth', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'longhaul-test-'));
  });
  afterAll(() => {
    rmSync(folder, { recursive: true, force: true });
  });

  function entry(name: string, body: string): string {
    const file = join(folder, `${name}.ts`);
    const parts = `input: ${SCHEMA}, output: ${SCHEMA}, run: async () => 1`;
    writeFileSync(
      file,
      `import { defineAgent, defineRegistry } from ${JSON.stringify(AGENT_API)};
       const agent = (name) => defineAgent({ name, ${parts} });
       ${body}`,
    );
    return file;
  }
  const check = (file: string, { lanes = {}, schedules = [] as object[] } = {}) => {
    const config = resolveConfig({ workers: lanes });
    checkAgents(file, { config, configured: schedules as never });
  };

  it('that are well pass, also those that a lane or a schedule names', () => {
    const file = entry('well', `export const registry = defineRegistry(agent('greet'));`);
    const schedules = [{ name: 'daily', job: { agent: 'greet' } }];
    check(file, { lanes: { heavy: { agents: ['greet'] } }, schedules });
    expect(loadAgents(file)).toEqual(['greet']);
  });

  it('that are defined wrongly are refused, since no function would start', () => {
    const file = entry('wrong', `export const registry = defineRegistry(agent('Check Line'));`);
    expect(() => {
      check(file);
    }).toThrow('agent name is "Check Line"');
  });

  it('that a lane or a schedule names must be there', () => {
    const file = entry('few', `export const registry = defineRegistry(agent('greet'));`);
    expect(() => {
      check(file, {
        lanes: { heavy: { agents: ['gret'] } },
        schedules: [{ name: 'daily', job: { agent: 'report' } }],
      });
    }).toThrow(/workers\.heavy\.agents .*"gret".* it has greet; schedule daily .*"report"/);
  });

  it('that cannot be loaded here, for want of what only the function has, are taken as they are', () => {
    const file = entry(
      'elsewhere',
      `if (process.env.ONLY_IN_LAMBDA === undefined) throw new Error('no ONLY_IN_LAMBDA');
       export const registry = defineRegistry(agent('greet'));`,
    );
    check(file, { lanes: { heavy: { agents: ['gret'] } } });
  });
});
