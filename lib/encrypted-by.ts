import type { IKey } from 'aws-cdk-lib/aws-kms';

/** Property of what is encrypted by the customer's key; without one AWS's own does it. */
export function encryptedBy(key: IKey | undefined): { readonly encryptionKey?: IKey } {
  return key === undefined ? {} : { encryptionKey: key };
}
