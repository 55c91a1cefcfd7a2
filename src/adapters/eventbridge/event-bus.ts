import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import type { EventBus, StatusChange } from '../../core/ports/event-bus.ts';
import { AppError } from '../../errors.ts';
import { AWS_CLIENT } from '../../settings/aws-client.ts';
import { STATUS_EVENTS } from '../../settings/names.ts';

/** Changes of status on a bus of EventBridge, for rules to match. */
export function eventBridgeBus(bus: {
  readonly client: EventBridgeClient;
  readonly name: string;
}): EventBus {
  return { put: (change) => put(bus.client, bus.name, change) };
}

export const eventBridgeClient = (): EventBridgeClient => new EventBridgeClient(AWS_CLIENT);

async function put(client: EventBridgeClient, bus: string, change: StatusChange): Promise<void> {
  const answer = await client.send(
    new PutEventsCommand({
      Entries: [
        {
          EventBusName: bus,
          Source: STATUS_EVENTS.source,
          DetailType: STATUS_EVENTS.detailType,
          Time: new Date(change.changedAt),
          Detail: JSON.stringify(change),
        },
      ],
    }),
  );
  // The request succeeds although an entry was refused.
  const [entry] = answer.Entries ?? [];
  if ((answer.FailedEntryCount ?? 0) === 0) return;
  throw new AppError(
    `the event bus ${bus} refused a change of status: ${entry?.ErrorCode ?? ''} ${entry?.ErrorMessage ?? ''}`,
    { code: 'unavailable', retryable: true },
  );
}
