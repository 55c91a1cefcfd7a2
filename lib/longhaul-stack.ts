import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { Longhaul, type LonghaulProps } from './longhaul.ts';

/** A deployment of Longhaul, and what any stack may be given. */
export interface LonghaulStackProps extends LonghaulProps, StackProps {}

/** A stack that holds one deployment of Longhaul and tells where its parts are. */
export class LonghaulStack extends Stack {
  readonly longhaul: Longhaul;

  constructor(scope: Construct, id: string, props: LonghaulStackProps) {
    super(scope, id, props);
    this.longhaul = new Longhaul(this, 'Longhaul', props);
    for (const [name, value] of Object.entries(outputsOf(this.longhaul))) {
      new CfnOutput(this, name, { value });
    }
  }
}

function outputsOf(longhaul: Longhaul): Readonly<Record<string, string>> {
  return {
    ApiUrl: longhaul.url,
    JobTableName: longhaul.table.tableName,
    IdempotencyTableName: longhaul.idempotencyTable.tableName,
    PayloadBucketName: longhaul.bucket.bucketName,
    JobQueueUrl: longhaul.queue.queueUrl,
    IsolationQueueUrl: longhaul.isolationQueue.queueUrl,
    DeadLetterQueueUrl: longhaul.dlq.queueUrl,
    UndeliveredQueueUrl: longhaul.undeliveredQueue.queueUrl,
    ScheduleGroupName: longhaul.scheduleGroup.scheduleGroupName,
    ...(longhaul.eventBus !== undefined && { EventBusName: longhaul.eventBus.eventBusName }),
    DashboardUrl: longhaul.monitoring.dashboardUrl,
  };
}
