import eslint from '@eslint/js';
import tseslint from 'typescript-eslint';
import { agentRules } from './src/agent/eslint/index.ts';

/** Import walls of CONTRIBUTING.md; `test/unit/architecture.test.ts` checks the same table over the whole tree. */
const wall = (files, patterns) => ({
  files,
  rules: { 'no-restricted-imports': ['error', { patterns }] },
});
const aws = {
  group: ['@aws-sdk/*', '@aws-lambda-powertools/*', 'aws-cdk-lib*'],
  message: 'core and leaves know no AWS',
};

export default tseslint.config(
  { ignores: ['node_modules/', 'dist/', 'cdk.out/', '.longhaul/', 'coverage/', '*.config.js'] },
  eslint.configs.recommended,
  tseslint.configs.strictTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './tsconfig.lib.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/consistent-type-imports': 'error',
      'max-lines': ['error', { max: 400, skipBlankLines: true, skipComments: true }],
      'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
    },
  },
  {
    files: ['**/*.test.ts', 'test/**'],
    rules: { 'max-lines-per-function': 'off', 'max-lines': 'off' },
  },
  {
    files: ['lib/**', 'bin/**'],
    rules: { '@typescript-eslint/no-unused-expressions': 'off', 'max-lines-per-function': 'off' },
  },
  wall(
    ['src/core/**'],
    [
      aws,
      {
        group: ['**/adapters/**', '**/protocol/**', '**/settings/**', '**/lambdas/**', 'node:*'],
        message: 'core imports itself, src/agent and src/errors only',
      },
    ],
  ),
  {
    files: ['src/core/**'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'take the Clock port' },
        { object: 'Math', property: 'random', message: 'take the IdSource port' },
        { object: 'process', property: 'env', message: 'core reads no environment' },
      ],
    },
  },
  wall(
    ['src/agent/**', 'src/settings/**', 'src/protocol/**'],
    [
      aws,
      {
        group: ['**/core/**', '**/adapters/**', '**/lambdas/**'],
        message: 'a leaf: src/errors and zod at most',
      },
    ],
  ),
  wall(
    ['src/agent/testing/**'],
    [
      aws,
      {
        group: [
          '**/lambdas/**',
          '**/adapters/dynamodb/**',
          '**/adapters/s3/**',
          '**/adapters/sqs/**',
        ],
        message: 'the test kit runs on the core and on adapters that need no service',
      },
    ],
  ),
  wall(
    ['agents/**'],
    [
      aws,
      {
        group: ['**/core/**', '**/adapters/**', '**/lambdas/**', '**/protocol/**'],
        message: 'agents import src/agent',
      },
    ],
  ),
  { files: ['agents/**'], ignores: ['**/*.test.ts'], ...agentRules },
  wall(
    ['lambdas/**'],
    [{ group: ['aws-cdk-lib*', '**/lib/**'], message: 'handlers know no infrastructure' }],
  ),
  wall(
    ['lib/**', 'bin/**'],
    [
      {
        group: ['@aws-sdk/*', '**/core/**', '**/adapters/**', '**/lambdas/**'],
        message: 'handlers are referenced by path only',
      },
    ],
  ),
  wall(
    ['local/**'],
    [
      {
        group: ['aws-cdk-lib*', '**/lib/**', '**/src/**', '**/lambdas/**'],
        message: 'the local cloud knows no more than AWS does',
      },
    ],
  ),
  wall(
    ['client/**'],
    [
      aws,
      {
        group: ['**/core/**', '**/adapters/**', '**/lambdas/**', 'node:*'],
        message: 'the client imports src/protocol',
      },
    ],
  ),
);
