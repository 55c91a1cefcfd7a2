import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import { Construct } from 'constructs';
import type { LonghaulConfig } from '../config.ts';
import { removalPolicyOf } from '../removal-policy.ts';

export interface IdempotencyTableProps {
  readonly config: LonghaulConfig;
}

/**
 * Records of the Powertools idempotency utility, under its default attribute names. Not backed up: the job stores the
 * fingerprint of its submission, so a lost record costs one more read and no second job.
 */
export class IdempotencyTable extends Construct {
  readonly table: TableV2;

  constructor(scope: Construct, id: string, props: IdempotencyTableProps) {
    super(scope, id);
    this.table = new TableV2(this, 'Table', {
      partitionKey: { name: 'id', type: AttributeType.STRING },
      timeToLiveAttribute: 'expiration',
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      removalPolicy: removalPolicyOf(props.config),
    });
  }
}
