/** A message of the dead-letter queue, hidden from others for some seconds. */
export interface ReceivedDeadLetter {
  /** The same each time it is received. */
  readonly messageId: string;
  readonly body: string;
  /** By which it is removed or released. */
  readonly receipt: string;
}

/** The dead-letter queue, read from its other end. */
export interface DeadLetterInbox {
  /** Approximate number of messages in it, hidden ones included. */
  count(): Promise<number>;
  /** Some of what lies in it, ten at most; none says that there is nothing. */
  receive(): Promise<readonly ReceivedDeadLetter[]>;
  remove(receipts: readonly string[]): Promise<void>;
  /** Lets others see them again at once. */
  release(receipts: readonly string[]): Promise<void>;
}
