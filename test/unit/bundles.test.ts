import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** What each function may and may not carry: cold starts pay for every byte. */
describe('bundles', () => {
  it.each([
    {
      entry: 'submit',
      uses: [
        '@aws-sdk/client-s3',
        // For the result of a job that ends while its submit waits.
        '@aws-sdk/s3-request-presigner',
        '@aws-sdk/client-sqs',
        '@aws-lambda-powertools/idempotency',
      ],
      never: ['src/core/engine/run-job.ts', 'src/core/engine/step.ts'],
      kilobytes: 950,
    },
    {
      entry: 'api',
      uses: [
        '@aws-sdk/client-s3',
        '@aws-sdk/s3-request-presigner',
        '@aws-sdk/client-sqs',
        '@aws-lambda-powertools/idempotency',
      ],
      never: ['agents/', 'src/core/engine/run-job.ts', 'src/core/engine/step.ts'],
      kilobytes: 990,
    },
    {
      entry: 'schedules',
      uses: ['@aws-sdk/client-scheduler', '@aws-sdk/client-sqs', '@aws-sdk/client-dynamodb'],
      never: [
        '@aws-sdk/client-s3',
        '@aws-lambda-powertools/idempotency',
        'src/core/engine/run-job.ts',
        'src/core/engine/step.ts',
      ],
      kilobytes: 850,
    },
    {
      entry: 'authorizer',
      uses: ['@aws-sdk/client-dynamodb'],
      never: [
        '@aws-sdk/client-s3',
        '@aws-sdk/client-sqs',
        '@aws-lambda-powertools/idempotency',
        'agents/',
        'src/core/engine/',
      ],
      kilobytes: 620,
    },
  ])('$entry holds what it uses and nothing of its neighbours', async (row) => {
    const { inputs, bytes } = await bundle(row.entry);
    const holds = (part: string) => inputs.some((input) => input.startsWith(part));

    const modules = (parts: readonly string[]) =>
      parts.map((part) => (part.startsWith('@') ? `node_modules/${part}/` : part));
    expect(modules(row.uses).filter((part) => !holds(part))).toEqual([]);
    expect(modules(row.never).filter(holds)).toEqual([]);
    expect(bytes).toBeLessThan(row.kilobytes * 1024);
  });
});

/** As `lib/constructs/service-function.ts` has CDK do it. */
async function bundle(entry: string): Promise<{ inputs: string[]; bytes: number }> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [`lambdas/${entry}.ts`],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    mainFields: ['module', 'main'],
    minify: true,
    keepNames: true,
    outfile: 'index.mjs',
  });
  const [output] = Object.values(metafile.outputs);
  const inputs = Object.entries(output?.inputs ?? {})
    .filter(([, { bytesInOutput }]) => bytesInOutput > 0)
    .map(([input]) => input);
  return { inputs, bytes: output?.bytes ?? 0 };
}
