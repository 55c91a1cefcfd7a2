import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { PROFILES } from '../../lib/config-context.ts';
import { CONFIG_KEYS } from '../../lib/config-keys.ts';
import { EMULATOR_GAPS } from '../../lib/emulator-gaps.ts';

const configuration = readFileSync('docs/configuration.md', 'utf8');
const emulator = readFileSync('docs/emulator.md', 'utf8');

describe('docs/configuration.md', () => {
  it.each(Object.entries(CONFIG_KEYS))('tells default, values and effect of %s', (path, key) => {
    const isEmpty = key.default === '' || typeof key.default === 'object';
    const standard = isEmpty ? 'empty' : `\`${key.default}\``;
    const row = `| \`${path}\` | ${standard} | ${key.allowed} | ${key.effect} |`;

    expect(rows(configuration)).toContain(row);
  });

  it('lists no key that is not there', () => {
    const documented = rows(configuration).map((row) => /^\| `([^`]+)`/.exec(row)?.[1]);

    expect(documented.filter((path) => path !== undefined).sort()).toEqual(
      Object.keys(CONFIG_KEYS).sort(),
    );
  });

  it.each(Object.keys(PROFILES))('names the profile %s and what it sets', (name) => {
    const section = configuration.slice(configuration.indexOf(`-c profile=${name}`));

    for (const [path, value] of Object.entries(PROFILES[name] ?? {})) {
      expect(section).toContain(`\`${path}\` ${String(value)}`);
    }
  });
});

describe('docs/emulator.md', () => {
  it.each(EMULATOR_GAPS)('tells why $type is left out', ({ type, reason }) => {
    expect(rows(emulator)).toContain(`| \`${type}\` | ${reason} |`);
  });
});

function rows(markdown: string): string[] {
  return markdown
    .split('\n')
    .filter((line) => line.startsWith('| `'))
    .map((line) => line.replaceAll(/ +/g, ' '));
}
