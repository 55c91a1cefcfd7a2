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

/** Actions on the key that go with actions on what it encrypts, by the service through which they are called. */
export function keyActionsFor(actions: readonly string[]): ReadonlyMap<string, readonly string[]> {
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
