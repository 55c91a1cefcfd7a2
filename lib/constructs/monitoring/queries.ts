import { CfnQueryDefinition } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { QUERIES } from '../../../src/settings/queries.ts';
import type { ServiceFunctionProps } from '../service-function.ts';
import type { Watched } from './watched.ts';

/**
 * The queries that the runbook tells to run, saved in Logs Insights under the deployment's name. Not by CDK's `QueryString`, which
 * orders parts by kind: what is saved is the text that the runbook shows.
 */
export function saveQueries(scope: Construct, folder: string, { functions, lanes }: Watched): void {
  for (const [name, { of, lines }] of Object.entries(QUERIES)) {
    const entries: readonly ServiceFunctionProps['entry'][] = of;
    new CfnQueryDefinition(scope, `Query${name}`, {
      name: `${folder}/${name}`,
      queryString: lines.join('\n| '),
      logGroupNames: entries
        .flatMap((entry) => [functions[entry], ...(entry === 'worker' ? Object.values(lanes) : [])])
        .map(({ logGroup }) => logGroup.logGroupName),
    });
  }
}
