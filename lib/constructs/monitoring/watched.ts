import type { RestApi } from 'aws-cdk-lib/aws-apigateway';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { MetricFilter } from 'aws-cdk-lib/aws-logs';
import type { JobQueue } from '../job-queue.ts';
import type { NotificationQueue } from '../notification-queue.ts';
import type { ServiceFunction, ServiceFunctionProps } from '../service-function.ts';

/** The parts of a deployment that are watched. */
export interface Watched {
  readonly queue: JobQueue;
  readonly notifications: NotificationQueue;
  readonly functions: Readonly<Record<ServiceFunctionProps['entry'], ServiceFunction>>;
  /** Workers of lanes beside the default one, by lane. */
  readonly lanes: Readonly<Record<string, ServiceFunction>>;
  readonly api: RestApi;
  readonly tables: readonly { readonly table: TableV2; readonly indexes: readonly string[] }[];
  /** Finds the lines by which Lambda says that a worker ran out of memory. */
  readonly outOfMemory: MetricFilter;
}
