import { Aws } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IKey } from 'aws-cdk-lib/aws-kms';

/** What a function needs of the key that encrypts a resource, by what it does with the resource. */
interface KeyUse {
  /** Of the action's name; the first that fits counts. */
  readonly of: RegExp;
  readonly keyActions: readonly string[];
}

/**
 * DynamoDB only unwraps the key of its table in the caller's name, to read and to write; SQS makes a data key for what is sent, and
 * looks whether the sender could read it.
 */
const KEY_USES: readonly KeyUse[] = [
  { of: /^dynamodb:/, keyActions: ['kms:Decrypt'] },
  { of: /^s3:GetObject$/, keyActions: ['kms:Decrypt'] },
  { of: /^s3:PutObject$/, keyActions: ['kms:GenerateDataKey'] },
  { of: /^sqs:SendMessage$/, keyActions: ['kms:Decrypt', 'kms:GenerateDataKey'] },
  { of: /^sqs:ReceiveMessage$/, keyActions: ['kms:Decrypt'] },
];

/** What actions take of the key that encrypts what they work on, and only through the service that holds it. */
export function keyStatements(
  key: IKey | undefined,
  actions: readonly string[],
): PolicyStatement[] {
  if (key === undefined) return [];
  return [...keyActionsFor(actions)].map(
    ([service, keyActions]) =>
      new PolicyStatement({
        actions: [...keyActions],
        resources: [key.keyArn],
        conditions: {
          StringEquals: { 'kms:ViaService': `${service}.${Aws.REGION}.${Aws.URL_SUFFIX}` },
        },
      }),
  );
}

/** By the service through which they are called. */
function keyActionsFor(actions: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const wanted = new Map<string, string[]>();
  for (const action of actions) {
    const [service = ''] = action.split(':');
    const use = KEY_USES.find(({ of }) => of.test(action));
    if (use === undefined) continue;
    const soFar = wanted.get(service) ?? [];
    wanted.set(service, [...new Set([...soFar, ...use.keyActions])].sort());
  }
  return wanted;
}
