import type { ESLint, Linter } from 'eslint';
import { noNondeterminismOutsideStep } from './no-nondeterminism-outside-step.ts';

const plugin = {
  meta: { name: 'longhaul' },
  rules: { 'no-nondeterminism-outside-step': noNondeterminismOutsideStep },
} satisfies ESLint.Plugin;

/**
 * ESLint's flat configuration for the files of agents.
 * @example
 * // eslint.config.js
 * import tseslint from 'typescript-eslint';
 * import { agentRules } from 'longhaul/eslint';
 * export default [{ files: ['agents/**' + '/*.ts'], languageOptions: { parser: tseslint.parser }, ...agentRules }];
 */
export const agentRules: Linter.Config = {
  name: 'longhaul/agents',
  plugins: { longhaul: plugin },
  rules: { 'longhaul/no-nondeterminism-outside-step': 'error' },
};

export default plugin;
