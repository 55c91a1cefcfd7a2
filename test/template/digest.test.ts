import { expect, it } from '@jest/globals';
import { privileges } from './privileges.ts';
import { resourcesByPath, synthesize, type TemplateResource } from './synthesize.ts';

/** What a reviewer wants to see of a change to the template; never the whole template. */
it('changes its shape on purpose only', () => {
  const { template } = synthesize();
  const json = template.toJSON() as {
    Resources: Record<string, TemplateResource>;
    Outputs: Record<string, unknown>;
  };

  const functions = Object.entries(resourcesByPath(template, 'AWS::Lambda::Function'));
  expect({
    resources: counted(Object.values(json.Resources).map(({ Type }) => Type)),
    environment: Object.fromEntries(
      functions.map(([path, { Properties }]) => [path, environmentNames(Properties)]),
    ),
    actions: Object.fromEntries(
      Object.entries(privileges(template)).map(([role, rights]) => [
        role,
        [...new Set(rights.map((right) => right.split(' on ')[0]))],
      ]),
    ),
    alarms: Object.values(resourcesByPath(template, 'AWS::CloudWatch::Alarm')).map(
      ({ Properties }) => Properties['AlarmName'],
    ),
    outputs: Object.keys(json.Outputs),
  }).toMatchSnapshot();
});

function environmentNames(properties: Record<string, unknown>): string[] {
  return Object.keys((properties['Environment'] as { Variables: object }).Variables).sort();
}

function counted(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values.toSorted()) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}
