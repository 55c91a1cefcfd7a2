import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type MiniStack, ROOT } from './ministack.ts';
import { runProgram } from './run-program.ts';

const BOOTSTRAP_LIMIT_SECONDS = 180;
const DEPLOY_LIMIT_SECONDS = 300;

/** The agents that the contract suite submits jobs to. */
const AGENTS_ENTRY = 'test/support/agents.ts';

/** Outputs of the stack, by name. */
export type StackOutputs = Readonly<Record<string, string>>;

/** What every AWS client takes for credentials of the emulator: its account is the 12-digit access key id. */
export function emulatorEnvironment({
  endpoint,
  certificate,
}: Pick<MiniStack, 'endpoint' | 'certificate'>): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('AWS_'));
  return {
    ...Object.fromEntries(own),
    AWS_ENDPOINT_URL: endpoint,
    NODE_EXTRA_CA_CERTS: certificate,
    AWS_CA_BUNDLE: certificate,
    AWS_S3_FORCE_PATH_STYLE: '1',
    ...ROOT,
    AWS_REGION: 'us-east-1',
    AWS_EC2_METADATA_DISABLED: 'true',
    CDK_DISABLE_CLI_TELEMETRY: 'true',
  };
}

/** Bootstraps the account and deploys the stack, as one would to AWS. */
export async function deployStack(env: NodeJS.ProcessEnv, folder: string): Promise<StackOutputs> {
  const cdk = ['npx', 'cdk', '--no-notices', '--output', join(folder, 'cdk.out')] as const;
  const context = [
    '-c',
    'emulator=true',
    '-c',
    'profile=local',
    '-c',
    `agentsEntry=${AGENTS_ENTRY}`,
    '-c',
    // The origin that the contract suite comes from.
    'longhaul:corsOrigins=https://app.example.com',
  ];
  const outputs = join(folder, 'outputs.json');

  await runProgram([...cdk, 'bootstrap', ...context], {
    env,
    limitSeconds: BOOTSTRAP_LIMIT_SECONDS,
  });
  await runProgram(
    [...cdk, 'deploy', '--require-approval', 'never', '--outputs-file', outputs, ...context],
    { env, limitSeconds: DEPLOY_LIMIT_SECONDS },
  );
  const stacks = JSON.parse(await readFile(outputs, 'utf8')) as Record<string, StackOutputs>;
  return stacks['Longhaul'] ?? {};
}
