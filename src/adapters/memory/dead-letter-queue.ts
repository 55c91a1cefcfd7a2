import type { DeadLetterInbox, ReceivedDeadLetter } from '../../core/ports/dead-letter-inbox.ts';
import type { DeadLetter, DeadLetterQueue } from '../../core/ports/job-queue.ts';
import { answer } from './answer.ts';
import { frozenCopy } from './frozen-copy.ts';

const BATCH = 10;

/** Both ends of the dead-letter queue. What is received stays hidden until it is released. */
export class MemoryDeadLetterQueue implements DeadLetterQueue, DeadLetterInbox {
  #messages: { readonly body: string; readonly messageId: string; isHidden: boolean }[] = [];
  #sent = 0;

  send(letter: DeadLetter): Promise<void> {
    return answer(() => {
      this.put(JSON.stringify(letter));
    });
  }

  /** Puts in what need not be a letter. */
  put(body: string): void {
    this.#messages.push({ body, messageId: String(++this.#sent), isHidden: false });
  }

  get letters(): readonly DeadLetter[] {
    return this.#messages.map(({ body }) => frozenCopy(JSON.parse(body) as DeadLetter));
  }

  count(): Promise<number> {
    return answer(() => this.#messages.length);
  }

  receive(): Promise<readonly ReceivedDeadLetter[]> {
    return answer(() => {
      const taken = this.#messages.filter(({ isHidden }) => !isHidden).slice(0, BATCH);
      for (const message of taken) message.isHidden = true;
      return taken.map(({ body, messageId }) => ({ body, messageId, receipt: messageId }));
    });
  }

  remove(receipts: readonly string[]): Promise<void> {
    return answer(() => {
      this.#messages = this.#messages.filter(({ messageId }) => !receipts.includes(messageId));
    });
  }

  release(receipts: readonly string[]): Promise<void> {
    return answer(() => {
      for (const message of this.#messages) {
        if (receipts.includes(message.messageId)) message.isHidden = false;
      }
    });
  }
}
