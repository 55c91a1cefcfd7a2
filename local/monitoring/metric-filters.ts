import type { Deployment, Resource } from '../template/deployment.ts';
import { TemplateError } from '../template/template-error.ts';
import { filterPattern } from './filter-pattern.ts';
import type { Measured } from './metric.ts';

/** Makes metrics of the log lines of one function. */
export interface MetricFilter {
  readonly functionName: string;
  readonly matches: (line: string) => boolean;
  readonly measured: readonly Measured[];
}

export function metricFilters(deployment: Deployment): MetricFilter[] {
  const functions = new Map(
    deployment
      .ofType('AWS::Lambda::Function')
      .map(({ name, properties }) => [
        properties.nested('LoggingConfig').textOr('LogGroup', `/aws/lambda/${name}`),
        name,
      ]),
  );
  return deployment
    .ofType('AWS::Logs::MetricFilter')
    .map((resource) => metricFilter(resource, functions));
}

function metricFilter(
  { logicalId, properties }: Resource,
  functions: ReadonlyMap<string, string>,
): MetricFilter {
  const group = properties.text('LogGroupName');
  const functionName = functions.get(group);
  if (functionName === undefined) {
    throw new TemplateError(logicalId, `no function of the template logs to ${group}`);
  }
  return {
    functionName,
    matches: filterPattern(logicalId, properties.text('FilterPattern')),
    measured: properties.list('MetricTransformations').map((made) => ({
      metric: {
        namespace: made.text('MetricNamespace'),
        name: made.text('MetricName'),
        dimensions: {},
      },
      values: [made.number('MetricValue')],
    })),
  };
}
