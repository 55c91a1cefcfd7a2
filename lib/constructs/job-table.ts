import {
  type Attribute,
  AttributeType,
  Billing,
  ProjectionType,
  TableEncryptionV2,
  TableV2,
} from 'aws-cdk-lib/aws-dynamodb';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { INDEXES, TABLE_KEYS } from '../../src/settings/names.ts';
import type { LonghaulConfig } from '../config.ts';
import { removalPolicyOf } from '../removal-policy.ts';
import { encryptTable } from './table-encryption.ts';

export interface JobTableProps {
  readonly config: LonghaulConfig;
  readonly key: IKey | undefined;
}

/** The durable state: jobs, journals, manifests, deliveries, API keys, tenants and secrets in one table. */
export class JobTable extends Construct {
  readonly table: TableV2;
  /** ARN of the index that the sweeper reads. */
  readonly dueIndexArn: string;
  /** ARN of the index that lists a tenant's jobs. */
  readonly byTenantIndexArn: string;

  constructor(scope: Construct, id: string, props: JobTableProps) {
    super(scope, id);
    const production = props.config.environment === 'production';
    this.table = new TableV2(this, 'Table', {
      partitionKey: text(TABLE_KEYS.partition),
      sortKey: text(TABLE_KEYS.sort),
      timeToLiveAttribute: TABLE_KEYS.ttl,
      billing: Billing.onDemand(),
      encryption: TableEncryptionV2.dynamoOwnedKey(),
      globalSecondaryIndexes: Object.values(INDEXES).map((index) => ({
        indexName: index.name,
        partitionKey: text(index.partition),
        sortKey: epochMs(index.sort),
        projectionType: ProjectionType.KEYS_ONLY,
      })),
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: production },
      deletionProtection: production,
      removalPolicy: removalPolicyOf(props.config),
    });
    encryptTable(this.table, props.key);
    this.dueIndexArn = `${this.table.tableArn}/index/${INDEXES.due.name}`;
    this.byTenantIndexArn = `${this.table.tableArn}/index/${INDEXES.byTenant.name}`;
  }
}

const text = (name: string): Attribute => ({ name, type: AttributeType.STRING });
/** Instants are numbers, so that the index is over the attribute the job has anyway. */
const epochMs = (name: string): Attribute => ({ name, type: AttributeType.NUMBER });
