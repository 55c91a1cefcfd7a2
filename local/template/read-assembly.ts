import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { TemplateError } from './template-error.ts';

export interface Template {
  readonly Resources: Readonly<Record<string, TemplateResource>>;
  readonly Outputs?: Readonly<
    Record<string, { readonly Value: unknown; readonly Condition?: string }>
  >;
  readonly Parameters?: Readonly<Record<string, { readonly Default?: unknown }>>;
  readonly Conditions?: Readonly<Record<string, unknown>>;
  readonly Mappings?: Readonly<Record<string, Record<string, Record<string, unknown>>>>;
}

export interface TemplateResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly Metadata?: { readonly 'aws:cdk:path'?: string };
  readonly Condition?: string;
}

/** The one stack of a cloud assembly, with the directories its file assets lie in. */
export interface Assembly {
  readonly stackName: string;
  readonly template: Template;
  /** Directory or file of each asset by its S3 object key. */
  readonly assets: ReadonlyMap<string, string>;
}

interface Artifact {
  readonly type: string;
  readonly displayName?: string;
  readonly properties?: {
    readonly templateFile?: string;
    readonly stackName?: string;
    readonly file?: string;
  };
}

const TEMPLATE_SECTIONS = new Set([
  'AWSTemplateFormatVersion',
  'Conditions',
  'Description',
  'Mappings',
  'Metadata',
  'Outputs',
  'Parameters',
  'Resources',
  // Rules only check the version of the bootstrap stack.
  'Rules',
]);

const RESOURCE_KEYS = new Set([
  'Condition',
  'DeletionPolicy',
  'DependsOn',
  'Metadata',
  'Properties',
  'Type',
  'UpdateReplacePolicy',
]);

/** Reads what `cdk synth` wrote: the manifest, the template of its only stack, the list of assets. */
export async function readAssembly(directory: string): Promise<Assembly> {
  const manifest = await readJson<{ artifacts: Record<string, Artifact> }>(
    join(directory, 'manifest.json'),
  );
  const artifacts = Object.entries(manifest.artifacts);
  const stacks = artifacts.filter(([, artifact]) => artifact.type === 'aws:cloudformation:stack');
  const [stack, ...others] = stacks;
  if (!stack || others.length > 0) {
    throw new TemplateError(directory, `needs exactly one stack, has ${stacks.length}`);
  }
  const [id, artifact] = stack;
  const template = await readJson<Template>(
    join(directory, artifact.properties?.templateFile ?? `${id}.template.json`),
  );
  checkShape(template);
  return {
    stackName: artifact.properties?.stackName ?? id,
    template,
    assets: await readAssets(directory, artifacts),
  };
}

async function readAssets(directory: string, artifacts: readonly [string, Artifact][]) {
  const assets = new Map<string, string>();
  for (const [, artifact] of artifacts) {
    const file = artifact.properties?.file;
    if (artifact.type !== 'cdk:asset-manifest' || file === undefined) continue;
    const { files = {} } = await readJson<AssetManifest>(join(directory, file));
    for (const { source, destinations } of Object.values(files)) {
      for (const { objectKey } of Object.values(destinations)) {
        if (source.path !== undefined) assets.set(objectKey, resolve(directory, source.path));
      }
    }
  }
  return assets;
}

interface AssetManifest {
  readonly files?: Record<
    string,
    {
      readonly source: { readonly path?: string };
      readonly destinations: Record<string, { readonly objectKey: string }>;
    }
  >;
}

function checkShape(template: Template): void {
  for (const section of Object.keys(template)) {
    if (!TEMPLATE_SECTIONS.has(section)) throw new TemplateError(section, 'unknown section');
  }
  for (const [logicalId, resource] of Object.entries(template.Resources)) {
    for (const key of Object.keys(resource)) {
      if (!RESOURCE_KEYS.has(key)) throw new TemplateError(logicalId, `unknown attribute ${key}`);
    }
  }
}

async function readJson<Content>(path: string): Promise<Content> {
  return JSON.parse(await readFile(path, 'utf8')) as Content;
}
