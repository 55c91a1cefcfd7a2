/**
 * `npm run test:deploy`: deploys the stack to MiniStack with the real CDK and runs the contract suite against it. Needs no
 * account. What the emulator cannot do: docs/emulator.md.
 */
import { mkdir, rm } from 'node:fs/promises';
import { resolve } from 'node:path';
import { proxyApi } from './emulator/api-proxy.ts';
import { runContractSuite } from './emulator/contract-suite.ts';
import { createKeys } from './emulator/create-keys.ts';
import { deployStack, emulatorEnvironment } from './emulator/deploy-stack.ts';
import { installMiniStack, type MiniStack, startMiniStack } from './emulator/ministack.ts';
import { signalAllGroups } from './emulator/process-group.ts';

const ENVIRONMENT = resolve('.longhaul', 'ministack');
const FOLDER = resolve('.longhaul', 'test-deploy');

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    signalAllGroups(signal);
  });
}
try {
  await testDeploy();
} catch (error) {
  for (let fault = error; fault instanceof Error; fault = fault.cause) console.error(fault.message);
  process.exitCode = 1;
}

async function testDeploy(): Promise<void> {
  await step('emulator installed', () => installMiniStack(ENVIRONMENT));
  await rm(FOLDER, { recursive: true, force: true });
  await mkdir(FOLDER, { recursive: true });
  const ministack = await step('emulator started', () => startMiniStack(ENVIRONMENT, FOLDER));
  try {
    await deployAndTest(ministack);
  } finally {
    await step('emulator stopped', () => ministack.stop());
  }
}

async function deployAndTest(ministack: MiniStack): Promise<void> {
  const { certificate, port } = ministack;
  const env = emulatorEnvironment(ministack);
  const outputs = await step('stack deployed', () => deployStack(env, FOLDER));
  const { ApiUrl: apiUrl = '', JobTableName: table = '' } = outputs;
  const keys = await step('keys made', () => createKeys(table, env));
  const proxy = await proxyApi(apiUrl, port);
  try {
    await step('contract suite passed', () =>
      runContractSuite({ url: proxy.url, keys, certificate }, FOLDER),
    );
  } finally {
    proxy.close();
  }
}

/** Tells what was done and how long it took. */
async function step<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now();
  const result = await work();
  console.log(`${name} (${((performance.now() - startedAt) / 1_000).toFixed(1)} s)`);
  return result;
}
