import {
  ConditionalCheckFailedException,
  type DynamoDBClient,
  GetItemCommand,
  type PutItemCommandInput,
  type UpdateItemCommandInput,
} from '@aws-sdk/client-dynamodb';
import { keyOf } from './count-requests.ts';

/**
 * Makes a client of dynalite answer a refused write as AWS does under `ReturnValuesOnConditionCheckFailure: ALL_OLD`: with
 * the item that stood in the way.
 */
export function returnOldItems(client: DynamoDBClient, reader: DynamoDBClient): void {
  client.middlewareStack.add(
    (next) => async (args) => {
      try {
        return await next(args);
      } catch (error) {
        const input = args.input as PutItemCommandInput & UpdateItemCommandInput;
        const isAsked = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD';
        if (error instanceof ConditionalCheckFailedException && isAsked) {
          const { Item } = await reader.send(
            new GetItemCommand({
              TableName: input.TableName,
              Key: keyOf(input),
              ConsistentRead: true,
            }),
          );
          if (Item !== undefined) error.Item = Item;
        }
        throw error;
      }
    },
    { step: 'serialize', name: 'returnOldItems', priority: 'low' },
  );
}
