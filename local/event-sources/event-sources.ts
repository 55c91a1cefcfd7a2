import type { EmulatorClients } from '../emulators/clients.ts';
import type { Emulator } from '../emulators/emulator.ts';
import { newInvocation, type Functions } from '../lambda/functions.ts';
import type { Deployment } from '../template/deployment.ts';
import { ACCOUNT } from '../template/identity.ts';
import { eventSourceMappings, type EventSourceMapping } from './mapping.ts';
import { QueueClient } from './queue-client.ts';
import { QueueEventSource } from './queue-event-source.ts';

interface Parts {
  readonly clients: EmulatorClients;
  readonly functions: Functions;
  readonly queues: Emulator;
}

/** The event sources of the template, connected to their queues and functions; none polls yet. */
export const eventSourcesOf = (deployment: Deployment, parts: Parts): QueueEventSource[] =>
  eventSourceMappings(deployment).map((mapping) => eventSource(mapping, parts));

function eventSource(
  mapping: EventSourceMapping,
  { clients, functions, queues }: Parts,
): QueueEventSource {
  const url = `${queues.endpoint}/${ACCOUNT}/${mapping.queueName}`;
  const pool = functions.named(mapping.functionName);
  return new QueueEventSource(mapping, {
    queue: new QueueClient(clients.sqs, url),
    invoke: (payload) => pool.invoke(newInvocation(payload)),
    isBacklogged: () => pool.backlog > 0,
    endPolls: () => {
      queues.tell({ endPollsOf: mapping.queueName });
    },
    onFault: (error) => {
      process.stderr.write(`${mapping.logicalId}: ${String(error)}\n`);
    },
  });
}
