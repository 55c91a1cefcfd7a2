import { execFileSync } from 'node:child_process';
import { describe, expect, it } from '@jest/globals';
import { configFromContext, isForEmulator } from '../../lib/config-context.ts';
import { CONFIG_KEYS } from '../../lib/config-keys.ts';
import { flattened, resolveConfig } from '../../lib/config.ts';
import { withApp } from './synthesize.ts';

const fromContext = (context: Record<string, unknown>) =>
  withApp((app) => configFromContext(app.node), context);

describe('configuration', () => {
  it('has a default for every key, and each default is allowed', () => {
    const config = flattened(resolveConfig());

    expect(Object.keys(config).sort()).toEqual(Object.keys(CONFIG_KEYS).sort());
    for (const [path, key] of Object.entries(CONFIG_KEYS)) {
      expect(key.parse(config[path])).toEqual(config[path]);
    }
  });

  it('takes each later source over the earlier: cdk.json, profile, single keys', () => {
    const config = fromContext({
      longhaul: { leaseSeconds: 90, sweepIntervalSeconds: 20, worker: { batchSize: 5 } },
      profile: 'local',
      'longhaul:sweepIntervalSeconds': '3',
    });

    expect(config).toMatchObject({
      leaseSeconds: 6,
      sweepIntervalSeconds: 3,
      worker: { batchSize: 5, timeoutSeconds: 300 },
    });
  });

  it.each([
    {
      name: 'a number',
      context: { 'longhaul:retentionDays': '7' },
      expected: { retentionDays: 7 },
    },
    {
      name: 'a flag',
      context: { 'longhaul:logPayloads': 'true' },
      expected: { logPayloads: true },
    },
    { name: 'a word', context: { 'longhaul:logLevel': 'DEBUG' }, expected: { logLevel: 'DEBUG' } },
    {
      name: 'one number of a list',
      context: { 'longhaul:logRetentionDays': '14' },
      expected: { logRetentionDays: 14 },
    },
    {
      name: 'tags',
      context: { 'longhaul:tags': '{"team":"agents"}' },
      expected: { tags: { team: 'agents' } },
    },
    {
      name: 'a key of a group',
      context: { 'longhaul:worker.memoryMb': '1769' },
      expected: { worker: { memoryMb: 1769 } },
    },
  ])('reads $name from the text of the command line', ({ context, expected }) => {
    expect(fromContext(context)).toMatchObject(expected);
  });

  it.each([
    {
      name: 'unknown key',
      context: { longhaul: { leaseSecond: 60 } },
      says: ['unknown key leaseSecond', 'leaseSeconds, sweepIntervalSeconds'],
    },
    {
      name: 'unknown key of a group',
      context: { longhaul: { worker: { batch: 5 } } },
      says: ['unknown key worker.batch', 'worker.batchSize'],
    },
    {
      name: 'unknown single key',
      context: { 'longhaul:leaseSecond': '60' },
      says: ['unknown key leaseSecond', 'leaseSeconds'],
    },
    {
      name: 'single key with a dot for the colon',
      context: { 'longhaul.environment': 'development' },
      says: ['longhaul.environment is no key', 'write longhaul:environment'],
    },
    {
      name: 'value in the place of a group',
      context: { longhaul: { worker: 5 } },
      says: ['unknown key worker', 'worker.batchSize'],
    },
    {
      name: 'number below its range',
      context: { longhaul: { leaseSeconds: 2 } },
      says: ['leaseSeconds', 'from 3 to 300', 'got 2'],
    },
    {
      name: 'number above its range',
      context: { longhaul: { worker: { maxConcurrency: 1_001 } } },
      says: ['worker.maxConcurrency', 'from 2 to 1000', 'got 1001'],
    },
    {
      name: 'zero where zero is not allowed',
      context: { longhaul: { retentionDays: 0 } },
      says: ['retentionDays', 'from 1 to 3650', 'got 0'],
    },
    {
      name: 'number above the range of another group',
      context: { longhaul: { subJobs: { maxDepth: 21 } } },
      says: ['subJobs.maxDepth', 'from 1 to 20', 'got 21'],
    },
    {
      name: 'number below the range of a key on the command line',
      context: { 'longhaul:subJobs.maxPerJob': '0' },
      says: ['subJobs.maxPerJob', 'from 1 to 10000', 'got "0"'],
    },
    {
      name: 'word that is none of three',
      context: { longhaul: { apiAccessLogs: 'on' } },
      says: ['apiAccessLogs', 'newRole, existingRole, off', 'got "on"'],
    },
    {
      name: 'fraction',
      context: { longhaul: { leaseSeconds: 4.5 } },
      says: ['leaseSeconds', 'a whole number', 'got 4.5'],
    },
    {
      name: 'text that Number would read',
      context: { 'longhaul:leaseSeconds': '0x10' },
      says: ['leaseSeconds', 'got "0x10"'],
    },
    {
      name: 'empty text',
      context: { 'longhaul:worker.batchingWindowSeconds': '' },
      says: ['worker.batchingWindowSeconds', 'from 0 to 300', 'got ""'],
    },
    {
      name: 'null',
      context: { longhaul: { logLevel: null } },
      says: ['logLevel', 'DEBUG, INFO, WARN, ERROR', 'got null'],
    },
    {
      name: 'word in another case',
      context: { longhaul: { environment: 'Production' } },
      says: ['environment', 'development, production', 'got "Production"'],
    },
    {
      name: 'flag that is a word',
      context: { 'longhaul:logPayloads': 'yes' },
      says: ['logPayloads', 'true or false', 'got "yes"'],
    },
    {
      name: 'mode of tracing that nobody knows',
      context: { 'longhaul:tracing.mode': 'jaeger' },
      says: ['tracing.mode', 'xray, otel, none', 'got "jaeger"'],
    },
    {
      name: 'share of traces above all of them',
      context: { 'longhaul:tracing.samplingPercent': '101' },
      says: ['tracing.samplingPercent', '0 to 100', 'got "101"'],
    },
    {
      name: 'collector that is no URL',
      context: {
        'longhaul:tracing.mode': 'otel',
        'longhaul:tracing.otlpEndpoint': 'collector:4318',
      },
      says: ['tracing.otlpEndpoint', 'http or https URL', 'got "collector:4318"'],
    },
    {
      name: 'collector with a password in its URL',
      context: {
        'longhaul:tracing.mode': 'otel',
        'longhaul:tracing.otlpEndpoint': 'https://user:word@collector.example',
      },
      says: ['tracing.otlpEndpoint', 'http or https URL'],
    },
    {
      name: 'traces for a collector without one',
      context: { 'longhaul:tracing.mode': 'otel' },
      says: ['tracing.otlpEndpoint', 'when tracing.mode is otel'],
    },
    {
      name: 'collector that nothing is sent to',
      context: { 'longhaul:tracing.otlpEndpoint': 'http://127.0.0.1:4318' },
      says: ['tracing.otlpEndpoint', 'tracing.mode otel (it is xray)'],
    },
    {
      name: 'days that CloudWatch Logs does not know',
      context: { longhaul: { logRetentionDays: 31 } },
      says: ['logRetentionDays', '14, 30, 60', 'got 31'],
    },
    {
      name: 'batch above 10 without a window',
      context: { longhaul: { worker: { batchSize: 100 } } },
      says: ['worker.batchingWindowSeconds', 'from 1 to 300', 'worker.batchSize', '100', 'got 0'],
    },
    {
      name: 'issuer by http',
      context: { longhaul: { jwt: { issuer: 'http://idp.example', audience: 'a' } } },
      says: ['jwt.issuer', 'https', 'got "http://idp.example"'],
    },
    {
      name: 'issuer on this machine where that is not allowed',
      context: { longhaul: { jwt: { issuer: 'http://127.0.0.1:80', audience: 'a' } } },
      says: ['jwt.issuer', 'jwt.allowLoopback'],
    },
    {
      name: 'issuer that only looks as if it were on this machine',
      context: {
        longhaul: {
          jwt: { issuer: 'http://localhost.evil.example', audience: 'a', allowLoopback: true },
        },
      },
      says: ['jwt.issuer', 'https'],
    },
    {
      name: 'keys by http',
      context: {
        longhaul: {
          jwt: { issuer: 'https://idp.example', audience: 'a', jwksUrl: 'http://idp.example/k' },
        },
      },
      says: ['jwt.jwksUrl', 'https'],
    },
    {
      name: 'issuer without an audience',
      context: { longhaul: { jwt: { issuer: 'https://idp.example' } } },
      says: ['jwt.audience', 'jwt.issuer'],
    },
    {
      name: 'scope that is none of ours',
      context: { longhaul: { jwt: { scopeMap: 'admin=root' } } },
      says: ['jwt.scopeMap', 'theirs=ours', 'jobs:read, jobs:write, ops', 'got "admin=root"'],
    },
    {
      name: 'alias in the place of a key',
      context: {
        longhaul: {
          encryption: { kmsKeyArn: 'arn:aws:kms:eu-west-1:123456789012:alias/ours' },
        },
      },
      says: ['encryption.kmsKeyArn', 'ARN of a KMS key (no alias)', 'alias/ours'],
    },
    {
      name: 'key that is there and another one to be made',
      context: {
        longhaul: {
          encryption: {
            customerKey: true,
            kmsKeyArn:
              'arn:aws:kms:eu-west-1:123456789012:key/0f3e2a3c-1c1a-4e43-8d6c-0d3b4b1a2c3d',
          },
        },
      },
      says: ['encryption.kmsKeyArn', 'encryption.customerKey', 'got "arn:aws:kms'],
    },
    {
      name: 'web ACL of CloudFront',
      context: {
        longhaul: {
          api: { wafWebAclArn: 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/ours/0f3e' },
        },
      },
      says: ['api.wafWebAclArn', 'regional', 'global/webacl'],
    },
    {
      name: 'VPC in the place of a VPC endpoint',
      context: { longhaul: { api: { vpcEndpoints: 'vpc-0123456789abcdef0' } } },
      says: ['api.vpcEndpoints', 'vpce-', 'got "vpc-0123456789abcdef0"'],
    },
    {
      name: 'tag that AWS keeps for itself',
      context: { longhaul: { tags: { 'aws:team': 'agents' } } },
      says: ['tags', 'not beginning with aws:', 'got {"aws:team":"agents"}'],
    },
    {
      name: 'tag that is no text',
      context: { 'longhaul:tags': '{"team":1}' },
      says: ['tags', 'a text of up to 256'],
    },
    {
      name: 'lane without agents',
      context: { longhaul: { workers: { heavy: { memoryMb: 1_024 } } } },
      says: ['workers.heavy.agents', 'a list of names of agents', 'got nothing'],
    },
    {
      name: 'agent in two lanes',
      context: { longhaul: { workers: { a: { agents: ['echo'] }, b: { agents: ['echo'] } } } },
      says: ['workers.a.agents and workers.b.agents', 'one lane', '"echo"'],
    },
    {
      name: 'memory of a lane below its range',
      context: { longhaul: { workers: { heavy: { agents: ['echo'], memoryMb: 64 } } } },
      says: ['workers.heavy.memoryMb', 'from 128 to 10240', 'got 64'],
    },
    {
      name: 'unknown key of a lane',
      context: { longhaul: { workers: { heavy: { agents: ['echo'], memory: 512 } } } },
      says: ['unknown key workers.heavy.memory', 'agents, timeoutSeconds, memoryMb'],
    },
    {
      name: 'lane with the name of the default one',
      context: { longhaul: { workers: { default: { agents: ['echo'] } } } },
      says: ['workers.default', 'lower-case letters', 'not be default'],
    },
    {
      name: 'batch of a lane above 10 without a window',
      context: { longhaul: { workers: { heavy: { agents: ['echo'], batchSize: 50 } } } },
      says: ['workers.heavy.batchingWindowSeconds', 'from 1 to 300', '50', 'got 0'],
    },
    {
      name: 'six lanes',
      context: {
        longhaul: {
          workers: Object.fromEntries(
            ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [name, { agents: [`agent-${name}`] }]),
          ),
        },
      },
      says: ['workers', 'at most 5', 'got 6'],
    },
    { name: 'context that is no object', context: { longhaul: '{}' }, says: ['longhaul', '"{}"'] },
    { name: 'unknown profile', context: { profile: 'prod' }, says: ['profile', 'local', '"prod"'] },
  ])('$name: refused, naming the key, the value got and the values allowed', (row) => {
    const attempt = () => fromContext(row.context);

    for (const part of row.says) expect(attempt).toThrow(part);
  });

  it('takes an issuer of tokens, in the local profile also one on this machine', () => {
    const jwt = { audience: 'a b', scopeMap: 'r=jobs:read admin=jobs:read admin=ops' };
    for (const issuer of ['https://idp.example/realms/one', 'http://127.0.0.1:9000']) {
      const longhaul = { jwt: { ...jwt, issuer } };
      expect(fromContext({ longhaul, profile: 'local' }).jwt).toMatchObject({ ...jwt, issuer });
    }
  });

  it('names every fault at once', () => {
    expect(() => resolveConfig({ leaseSeconds: 0, 'tracing.mode': 1, nope: 1 })).toThrow(
      /unknown key nope.*leaseSeconds.*tracing/,
    );
  });

  it('knows the emulator flag, as a value and as text', () => {
    const emulator = (value?: unknown) =>
      withApp((app) => isForEmulator(app.node), value === undefined ? {} : { emulator: value });

    expect([emulator(), emulator('true'), emulator(false)]).toEqual([false, true, false]);
    expect(() => emulator('yes')).toThrow(/emulator must be true or false, got "yes"/);
  });

  it('ends the synth with the message alone', () => {
    const synth = () =>
      execFileSync('node', ['bin/longhaul.ts'], {
        env: { ...process.env, CDK_CONTEXT_JSON: '{"longhaul":{"leaseSeconds":1}}' },
        stdio: 'pipe',
        encoding: 'utf8',
      });

    expect(synth).toThrow(
      expect.objectContaining({
        status: 1,
        stderr:
          'longhaul configuration: leaseSeconds must be a whole number from 3 to 300, got 1\n',
      }),
    );
  });
});
