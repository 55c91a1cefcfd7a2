import { Duration, Validations } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { UPLOAD_DAYS } from '../../src/protocol/limits.ts';
import type { LonghaulConfig } from '../config.ts';
import { removalPolicyOf } from '../removal-policy.ts';

/** Longest `maxDuration` an agent may have. */
const LONGEST_JOB_DAYS = 400;

export interface PayloadBucketProps {
  readonly config: LonghaulConfig;
  readonly key: IKey | undefined;
}

/** Inputs, step outcomes and results too large for a table item. */
export class PayloadBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, { config, key }: PayloadBucketProps) {
    super(scope, id);
    this.bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      ...(key === undefined
        ? { encryption: BucketEncryption.S3_MANAGED }
        : // One data key for many objects in place of a request to KMS for each.
          { encryption: BucketEncryption.KMS, encryptionKey: key, bucketKeyEnabled: true }),
      enforceSSL: true,
      minimumTLSVersion: 1.2,
      lifecycleRules: [
        {
          id: 'ExpirePayloads',
          // Never before the job item that points to the object: deadline + retention, counted from the submit.
          expiration: Duration.days(LONGEST_JOB_DAYS + config.retentionDays),
          abortIncompleteMultipartUploadAfter: Duration.days(7),
        },
        {
          id: 'ExpireUploads',
          // A submission copies what it takes, so that no job points here. S3 counts from the midnight after.
          prefix: 'uploads/',
          expiration: Duration.days(UPLOAD_DAYS),
        },
      ],
      removalPolicy: removalPolicyOf(config),
      autoDeleteObjects: config.environment === 'development',
    });
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'only the functions of this stack read and write here; who wants a record of each access turns on CloudTrail data events',
    });
  }
}
