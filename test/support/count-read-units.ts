import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** Read units of each request from now on, as the emulator counts them. */
export function countReadUnits(of: DynamoDBClient): number[] {
  const units: number[] = [];
  of.middlewareStack.add(
    (next) => async (args) => {
      Object.assign(args.input, { ReturnConsumedCapacity: 'TOTAL' });
      const answer = await next(args);
      const consumed = (answer.output as { ConsumedCapacity?: Consumed | Consumed[] })
        .ConsumedCapacity;
      for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) units.push(CapacityUnits);
      return answer;
    },
    { step: 'initialize' },
  );
  return units;
}

interface Consumed {
  readonly CapacityUnits?: number;
}
