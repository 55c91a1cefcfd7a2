import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { App } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import type { LonghaulConfigInput } from '../../lib/config.ts';
import { LonghaulStack } from '../../lib/longhaul-stack.ts';

const cdkJson = JSON.parse(readFileSync('cdk.json', 'utf8')) as { context: object };

/** The feature flags of the app; paths of constructs and assets in the template, as the CDK CLI asks for. */
export const CONTEXT = {
  ...cdkJson.context,
  'aws:cdk:enable-path-metadata': true,
  'aws:cdk:enable-asset-metadata': true,
};

/** Leaves out the bundling of functions, which is most of a synth. */
export const WITHOUT_BUNDLING = { ...CONTEXT, 'aws:cdk:bundling-stacks': [] };

/** Lets `use` work with an app whose cloud assembly is gone afterwards. */
export function withApp<Result>(use: (app: App) => Result, context: object = CONTEXT): Result {
  const outdir = mkdtempSync(join(tmpdir(), 'longhaul-assembly-'));
  try {
    return use(new App({ outdir, context: { ...context } }));
  } finally {
    rmSync(outdir, { recursive: true });
  }
}

export interface Synthesized {
  readonly stack: LonghaulStack;
  readonly template: Template;
}

/** The stack of this repository under some configuration, its functions not bundled. */
export function synthesize(config: LonghaulConfigInput = {}): Synthesized {
  return withApp((app) => {
    const stack = new LonghaulStack(app, 'Longhaul', { agentsEntry: 'agents/index.ts', config });
    return { stack, template: Template.fromStack(stack) };
  }, WITHOUT_BUNDLING);
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties: Record<string, unknown>;
  readonly Metadata: Readonly<Record<string, unknown>>;
}

/** Resources of a type by their construct path below the stack: `Longhaul/Worker/Function`. */
export function resourcesByPath(
  template: Template,
  type: string,
): Readonly<Record<string, TemplateResource>> {
  const found = template.findResources(type) as Record<string, TemplateResource>;
  return Object.fromEntries(
    Object.values(found).map((resource) => [pathOf(resource), resource] as const),
  );
}

/** Construct path below the stack, without the last part that CDK gives every resource. */
export function pathOf({ Metadata }: TemplateResource): string {
  const path = Metadata['aws:cdk:path'] as string;
  return path.replace(/^Longhaul\//, '').replace(/\/Resource$/, '');
}
