import type { Measured } from './metric.ts';

/** https://docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html */
interface EmbeddedLine {
  readonly _aws?: { readonly CloudWatchMetrics?: readonly Directive[] };
}

interface Directive {
  readonly Namespace: string;
  readonly Dimensions: readonly (readonly string[])[];
  readonly Metrics: readonly { readonly Name: string }[];
}

/** The metrics that a log line holds in the embedded metric format, once for each of its sets of dimensions. */
export function embeddedMetrics(line: string): Measured[] {
  if (!line.includes('"_aws"')) return [];
  const fields = parsed(line);
  return (fields._aws?.CloudWatchMetrics ?? []).flatMap(({ Namespace, Dimensions, Metrics }) =>
    Metrics.flatMap(({ Name }) =>
      Dimensions.map((names) => ({
        metric: {
          namespace: Namespace,
          name: Name,
          dimensions: Object.fromEntries(names.map((name) => [name, String(fields[name])])),
        },
        values: [fields[Name]].flat().filter((value) => typeof value === 'number'),
      })),
    ),
  );
}

function parsed(line: string): EmbeddedLine & Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(line) as EmbeddedLine & Readonly<Record<string, unknown>>;
  } catch {
    // Something else that mentions the word.
    return {};
  }
}
