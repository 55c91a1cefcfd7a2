import { Duration } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { QueueEncryption, type QueueProps } from 'aws-cdk-lib/aws-sqs';

/** What every queue is made with: encrypted, and closed to plain HTTP. */
export function secured(
  key: IKey | undefined,
): Pick<QueueProps, 'encryption' | 'encryptionMasterKey' | 'dataKeyReuse' | 'enforceSSL'> {
  return {
    enforceSSL: true,
    ...(key === undefined
      ? { encryption: QueueEncryption.SQS_MANAGED }
      : {
          encryption: QueueEncryption.KMS,
          encryptionMasterKey: key,
          // SQS asks KMS for each producer and consumer this often: a request to it costs more than a message.
          dataKeyReuse: Duration.hours(1),
        }),
  };
}
