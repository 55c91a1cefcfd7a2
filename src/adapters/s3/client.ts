import { S3Client } from '@aws-sdk/client-s3';
import { AWS_CLIENT } from '../../settings/aws-client.ts';

/** The largest payload, 48 MiB, takes seconds where a table's answer takes milliseconds. */
const REQUEST_TIMEOUT_MS = 20_000;

export function s3Client(): S3Client {
  const requestHandler = { ...AWS_CLIENT.requestHandler, requestTimeout: REQUEST_TIMEOUT_MS };
  // Whoever reads a payload compares its SHA-256 anyway, with what the job says and not with what S3 says.
  return new S3Client({
    ...AWS_CLIENT,
    requestHandler,
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}
