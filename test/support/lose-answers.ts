import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/**
 * Makes the client lose the first answer to each command of a kind: the write is applied, the connection breaks, the SDK
 * sends it again. Answers the number of lost answers so far.
 */
export function loseAnswers(client: DynamoDBClient, commandName: string): () => number {
  const seen = new WeakSet<object>();
  let lost = 0;
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const answer = await next(args);
      // The input is the same object in each try of a command.
      if (context.commandName !== commandName || seen.has(args.input)) return answer;
      seen.add(args.input);
      lost += 1;
      throw Object.assign(new Error('socket hang up'), {
        name: 'TimeoutError',
        code: 'ECONNRESET',
      });
    },
    // Behind the SDK's own retry middleware, which stands at `high`.
    { step: 'finalizeRequest', name: 'loseAnswers', priority: 'low' },
  );
  return () => lost;
}
