import { AttributeType, Billing, TableEncryptionV2, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { LonghaulConfig } from '../config.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { encryptTable } from './table-encryption.ts';

export interface IdempotencyTableProps {
  readonly config: LonghaulConfig;
  readonly key: IKey | undefined;
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
      deletionProtection: props.config.environment === 'production',
      removalPolicy: removalPolicyOf(props.config),
    });
    encryptTable(this.table, props.key);
  }
}
