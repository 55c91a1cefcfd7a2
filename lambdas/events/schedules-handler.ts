import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { HttpHandler } from '../http/http-handler.ts';
import type { FiringHandler } from './firing-handler.ts';

export type SchedulesHandler = (
  event: unknown,
  context: Pick<Context, 'getRemainingTimeInMillis' | 'invokedFunctionArn'>,
) => Promise<APIGatewayProxyResult | undefined>;

interface Parts {
  readonly serve: HttpHandler;
  readonly fire: FiringHandler;
}

/**
 * One function for the routes and for what the triggers start, since both set triggers that start this very function. Its own
 * address it learns from Lambda: a template in which a function knows it has a cycle.
 */
export function schedulesHandler(make: (ownArn: () => string) => Parts): SchedulesHandler {
  let ownArn = '';
  const { serve, fire } = make(() => ownArn);
  return async (event, context) => {
    ownArn = unqualified(context.invokedFunctionArn);
    if (isRequest(event)) return serve(event, context);
    await fire(event);
    return undefined;
  };
}

/** API Gateway makes its event by itself: nothing that a client sends makes it look like a firing, nor the other way round. */
function isRequest(event: unknown): event is APIGatewayProxyEvent {
  return typeof event === 'object' && event !== null && 'httpMethod' in event;
}

/** Without version or alias: `arn:aws:lambda:<region>:<account>:function:<name>`. */
function unqualified(functionArn: string): string {
  return functionArn.split(':').slice(0, 7).join(':');
}
