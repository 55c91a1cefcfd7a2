import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { LonghaulStack } from '../../lib/longhaul-stack.ts';
import { Template } from 'aws-cdk-lib/assertions';
import { resourcesByPath, withApp } from './synthesize.ts';

interface Bundle {
  readonly bytes: number;
  readonly text: string;
  /** What the bundle exports when Node loads it with the variables that the template gives the function. */
  readonly exports: string[];
}

const AGENTS = 'test/template/consumer-agents.ts';
const MIB = 1024 * 1024;

const bundles = withApp((app) => {
  const stack = new LonghaulStack(app, 'Longhaul', { agentsEntry: AGENTS });
  const functions = resourcesByPath(Template.fromStack(stack), 'AWS::Lambda::Function');
  return Object.fromEntries(
    Object.entries(functions).map(([path, { Metadata, Properties }]) => {
      const file = join(app.outdir, Metadata['aws:asset:path'] as string, 'index.mjs');
      const { Variables } = Properties['Environment'] as { Variables: object };
      return [path.replace('Longhaul/', ''), bundle(file, Variables)];
    }),
  );
});

function bundle(file: string, variables: object): Bundle {
  const placeholders = Object.entries(variables).map(([name, value]: [string, unknown]) => [
    name,
    typeof value === 'string' ? value : 'http://127.0.0.1:1/name',
  ]);
  // What the runtime of Lambda has in its global scope for functions that stream.
  const load = `globalThis.awslambda = { streamifyResponse: (handler) => handler };
    console.log(JSON.stringify(Object.keys(await import(process.argv[1]))))`;
  const output = execFileSync('node', ['--input-type=module', '--eval', load, file], {
    env: {
      PATH: process.env.PATH,
      AWS_REGION: 'us-east-1',
      ...(Object.fromEntries(placeholders) as Record<string, string>),
    },
    encoding: 'utf8',
  });
  return {
    bytes: statSync(file).size,
    text: readFileSync(file, 'utf8'),
    exports: JSON.parse(output.trim().split('\n').at(-1) ?? '[]') as string[],
  };
}

describe('bundles', () => {
  it.each(Object.keys(bundles))('%s loads and exports its handler', (name) => {
    expect(bundles[name]?.exports).toEqual(['handler']);
  });

  it.each(Object.keys(bundles))('%s stays below 1 MiB', (name) => {
    expect(bundles[name]?.bytes).toBeLessThan(MIB);
  });

  it('hold the agents of the entry that the app names, where jobs are accepted and run only', () => {
    const withAgent = Object.keys(bundles).filter((name) =>
      bundles[name]?.text.includes('agent-of-a-consumer'),
    );

    expect(withAgent.sort()).toEqual(['Schedules/Function', 'Submit', 'Worker/Function']);
  });

  it('hold the authoring classes once, whether they come by longhaul/agent or from the engine', () => {
    const text = bundles['Worker/Function']?.text ?? '';

    expect(text.match(/this\.name="RetryableError"/g)).toHaveLength(1);
  });
});
