import type { Template } from 'aws-cdk-lib/assertions';
import { pathOf, resourcesByPath, type TemplateResource } from './synthesize.ts';

interface Statement {
  readonly Effect: string;
  readonly Action: string | string[];
  readonly Resource: unknown;
}

/** What each role may do: `action on resource`, resources by construct path; sorted. */
export function privileges(template: Template): Readonly<Record<string, readonly string[]>> {
  const policies = Object.entries(resourcesByPath(template, 'AWS::IAM::Policy'));
  return Object.fromEntries(
    policies.map(([path, { Properties }]) => [
      path.replace(/Role\/DefaultPolicy$/, ''),
      statementsOf(Properties)
        .flatMap((statement) => allowed(template, statement))
        .sort(),
    ]),
  );
}

function statementsOf(properties: Record<string, unknown>): Statement[] {
  return (properties['PolicyDocument'] as { Statement: Statement[] }).Statement;
}

function allowed(template: Template, { Effect, Action, Resource }: Statement): string[] {
  if (Effect !== 'Allow') return [];
  return [Action]
    .flat()
    .flatMap((action) =>
      [Resource].flat().map((resource) => `${action} on ${named(template, resource)}`),
    );
}

/** `{ 'Fn::Join': ['', [{ 'Fn::GetAtt': ['LonghaulJobTable35E2A176', 'Arn'] }, '/index/due']] }` → `JobTable/Table/index/due` */
function named(template: Template, resource: unknown): string {
  if (typeof resource === 'string') return resource;
  const { 'Fn::GetAtt': attribute, 'Fn::Join': join } = resource as {
    'Fn::GetAtt'?: [string, string];
    'Fn::Join'?: [string, unknown[]];
  };
  if (join) return join[1].map((part) => named(template, part)).join(join[0]);
  if (!attribute) return JSON.stringify(resource);
  const all = template.toJSON()['Resources'] as Record<string, TemplateResource>;
  const target = all[attribute[0]];
  return target === undefined ? attribute[0] : pathOf(target).replace(/^Longhaul\//, '');
}
