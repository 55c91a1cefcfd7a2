import { EventBus } from 'aws-cdk-lib/aws-events';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { LonghaulConfig } from '../config.ts';
import type { ServiceFunction } from './service-function.ts';

/** A bus of EventBridge, made here or by somebody else. */
export type StatusBus = Pick<EventBus, 'eventBusArn' | 'eventBusName'>;

export interface StatusEventsProps {
  readonly config: LonghaulConfig;
  readonly key: IKey | undefined;
}

/** Where changes of status are published: nowhere, on a bus of this deployment's own, or on one that is there. */
export class StatusEvents extends Construct {
  readonly bus: StatusBus | undefined;

  constructor(scope: Construct, id: string, { config, key }: StatusEventsProps) {
    super(scope, id);
    this.bus = this.#busOf(config.eventBus, key);
  }

  /** For the environment of a function that publishes. */
  get variables(): { EVENT_BUS?: string } {
    return this.bus === undefined ? {} : { EVENT_BUS: this.bus.eventBusName };
  }

  /** Lets a function publish, where there is a bus. */
  grantTo(publisher: ServiceFunction): void {
    if (this.bus !== undefined) publisher.allow(['events:PutEvents'], this.bus.eventBusArn);
  }

  #busOf(name: string, key: IKey | undefined): StatusBus | undefined {
    if (name === '') return undefined;
    if (name === 'new') return new EventBus(this, 'Bus', key === undefined ? {} : { kmsKey: key });
    return EventBus.fromEventBusName(this, 'Bus', name);
  }
}
