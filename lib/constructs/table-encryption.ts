import type { CfnGlobalTable, TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/**
 * Encrypts a table by the customer's key in place of one that DynamoDB owns. Not by `TableEncryptionV2.customerManagedKey`, which
 * wants to know the region at synth: the app knows neither account nor region.
 */
export function encryptTable(table: TableV2, key: IKey | undefined): void {
  if (key === undefined) return;
  const resource = table.node.defaultChild as CfnGlobalTable;
  resource.addPropertyOverride('SSESpecification', { SSEEnabled: true, SSEType: 'KMS' });
  resource.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key.keyArn });
}
