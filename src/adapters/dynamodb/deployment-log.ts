import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { DeploymentLog } from '../../core/ports/deployment-log.ts';
import { attempt } from './attempt.ts';
import { DEPLOYMENT_KEY } from './keys.ts';
import { getItem, type Table } from './table.ts';

/** One item that names the deployment; asked once in the life of an execution environment. */
export function dynamoDeploymentLog(table: Table): DeploymentLog {
  return {
    since: async (deployment, now) => {
      const taken = await attempt(
        table.client.send(
          new UpdateCommand({
            TableName: table.name,
            Key: DEPLOYMENT_KEY,
            UpdateExpression: 'SET #deployment = :deployment, #since = :now',
            ConditionExpression: 'attribute_not_exists(#deployment) OR #deployment <> :deployment',
            ExpressionAttributeNames: { '#deployment': 'deployment', '#since': 'since' },
            ExpressionAttributeValues: { ':deployment': deployment, ':now': now },
          }),
        ),
      );
      if (taken.applied) return now;
      const item = await getItem(table, DEPLOYMENT_KEY);
      return (item?.since as number | undefined) ?? now;
    },
  };
}
