import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Item } from './table.ts';

/** What a write that was sent with a condition came to. */
export type Attempt<Value> =
  | { readonly applied: true; readonly value: Value }
  | {
      readonly applied: false;
      /** The item that stood in the way; an emulator does not return it, nor is it there when there is no item. */
      readonly item: Item | undefined;
    };

/** Runs a conditional write and turns the refusal, which is an ordinary answer here, into a value. */
export async function attempt<Value>(write: Promise<Value>): Promise<Attempt<Value>> {
  try {
    return { applied: true, value: await write };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    // The document client converts answers, not errors.
    return { applied: false, item: error.Item && unmarshall(error.Item) };
  }
}
