/**
 * The parts of fauxqs that its package does not export. `startFauxqs` binds every interface and hides its stores, so the
 * server is put together from them here: bound to loopback, with queue URLs that work as they are, fair order, and long
 * polls that can be ended. The version is pinned; a release that moves these parts fails at start, not silently.
 */
export interface QueuedMessage {
  readonly messageId: string;
  readonly messageGroupId?: string;
  readonly messageAttributes: Readonly<Record<string, { readonly StringValue?: string }>>;
  readonly sentTimestamp: number;
  readonly approximateReceiveCount: number;
}

export interface Queue {
  readonly name: string;
  messages: QueuedMessage[];
  readonly delayedMessages: readonly QueuedMessage[];
  readonly inflightMessages: ReadonlyMap<string, { readonly message: QueuedMessage }>;
  dequeue(...args: unknown[]): unknown[];
  processTimers(): void;
  cancelWaiters(): void;
}

export interface SqsStore {
  host: string;
  getQueueByName(name: string): Queue | undefined;
}

interface SqsModule {
  readonly SqsStore: new () => SqsStore;
  readonly SqsQueue: { readonly prototype: Queue };
}

const part = async <Module>(path: string) =>
  (await import(new URL(path, import.meta.resolve('fauxqs')).href)) as Module;

export async function fauxqsStores() {
  const [sqs, sns, s3] = await Promise.all([
    part<SqsModule>('sqs/sqsStore.js'),
    part<{ readonly SnsStore: new () => unknown }>('sns/snsStore.js'),
    part<{ readonly S3Store: new () => unknown }>('s3/s3Store.js'),
  ]);
  return {
    queuePrototype: sqs.SqsQueue.prototype,
    sqsStore: new sqs.SqsStore(),
    snsStore: new sns.SnsStore(),
    s3Store: new s3.S3Store(),
  };
}
