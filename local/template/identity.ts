/** The account this cloud plays, as the pseudo parameters and every ARN name it. */
export const ACCOUNT = '000000000000';
export const REGION = 'us-east-1';

/** Addresses of this cloud that resources hand out through `Ref` and `Fn::GetAtt`. */
export interface Addresses {
  /** `http://127.0.0.1:<port>` of the queue emulator. */
  readonly queues: string;
  /** `http://127.0.0.1:<port>` of the HTTP gateway; the stage comes after it. */
  readonly gateway: string;
}

/** One resource as others refer to it. */
export interface Identity {
  readonly logicalId: string;
  readonly name: string;
  readonly addresses: Addresses;
}

export const arn = (service: string, resource: string, region = REGION, account = ACCOUNT) =>
  `arn:aws:${service}:${region}:${account}:${resource}`;

/** API ids are ten lower-case letters and digits on AWS; the logical id shortened keeps them readable. */
export const apiId = (logicalId: string) =>
  logicalId
    .toLowerCase()
    .replace(/[^a-z0-9]/g, '')
    .slice(-10)
    .padStart(10, '0');
