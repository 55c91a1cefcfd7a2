import { ArnFormat, Aws, Duration, Stack } from 'aws-cdk-lib';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import type { LonghaulConfig } from '../config.ts';
import { removalPolicyOf } from '../removal-policy.ts';

export interface EncryptionProps {
  readonly config: LonghaulConfig;
}

/** The customer's key, where the configuration wants one: made here, or one that is there. */
export class Encryption extends Construct {
  readonly key: IKey | undefined;

  constructor(scope: Construct, id: string, { config }: EncryptionProps) {
    super(scope, id);
    this.key = this.#keyOf(config);
  }

  #keyOf(config: LonghaulConfig): IKey | undefined {
    const { customerKey, kmsKeyArn } = config.encryption;
    if (kmsKeyArn !== '') return Key.fromKeyArn(this, 'Key', kmsKeyArn);
    if (!customerKey) return undefined;
    const key = new Key(this, 'Key', {
      description: `Longhaul: what ${Stack.of(this).stackName} stores`,
      enableKeyRotation: true,
      removalPolicy: removalPolicyOf(config),
      // Time to notice that something still reads what it encrypted.
      pendingWindow: Duration.days(30),
    });
    for (const statement of this.#servicesMayUse()) key.addToResourcePolicy(statement);
    return key;
  }

  /**
   * Services that use the key in no function's name; docs/security.md shows the same for a key that is there already. DynamoDB, S3
   * and SQS use it in the name of the function that calls them.
   */
  #servicesMayUse(): PolicyStatement[] {
    const logGroups = Stack.of(this).formatArn({
      service: 'logs',
      resource: 'log-group',
      resourceName: '*',
      arnFormat: ArnFormat.COLON_RESOURCE_NAME,
    });
    return [
      new PolicyStatement({
        sid: 'LogGroups',
        principals: [new ServicePrincipal(`logs.${Aws.REGION}.amazonaws.com`)],
        actions: [
          'kms:Encrypt',
          'kms:Decrypt',
          'kms:ReEncrypt*',
          'kms:GenerateDataKey*',
          'kms:DescribeKey',
        ],
        resources: ['*'],
        conditions: { ArnLike: { 'kms:EncryptionContext:aws:logs:arn': logGroups } },
      }),
      new PolicyStatement({
        sid: 'AlarmsIntoTheTopic',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey*'],
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID } },
      }),
    ];
  }
}
