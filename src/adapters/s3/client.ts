import { S3Client } from '@aws-sdk/client-s3';
import { AWS_CLIENT } from '../../settings/aws-client.ts';

export function s3Client(): S3Client {
  return new S3Client(AWS_CLIENT);
}
