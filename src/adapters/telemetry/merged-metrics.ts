import type { EmfOutput } from '@aws-lambda-powertools/metrics/types';

/**
 * Documents of the embedded metric format in as few as say the same: one may hold several sets of metrics, and each line of a log has
 * its price. Documents that differ in a value, such as those of two agents, stay apart.
 */
export function mergedMetrics(documents: readonly EmfOutput[]): EmfOutput[] {
  const merged: EmfOutput[] = [];
  for (const document of documents) {
    const index = merged.findIndex((other) => isMergeable(other, document));
    const other = merged[index];
    if (other === undefined) merged.push(document);
    else merged[index] = both(other, document);
  }
  return merged;
}

function both(one: EmfOutput, other: EmfOutput): EmfOutput {
  const CloudWatchMetrics = [one, other].flatMap(({ _aws }) => _aws.CloudWatchMetrics);
  return { ...one, ...other, _aws: { ...one._aws, CloudWatchMetrics } };
}

function isMergeable(one: EmfOutput, other: EmfOutput): boolean {
  const shared = Object.keys(one).filter((name) => name in other && name !== '_aws');
  const dimensions = new Set(
    one._aws.CloudWatchMetrics.flatMap(({ Dimensions }) => Dimensions).flat(),
  );
  // A metric in both has two values, even if they are equal.
  return shared.every((name) => dimensions.has(name) && one[name] === other[name]);
}
