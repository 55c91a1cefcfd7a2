import type { DeadLetter, DeadLetterQueue } from '../../core/ports/job-queue.ts';
import { answer } from './answer.ts';
import { frozenCopy } from './frozen-copy.ts';

export class MemoryDeadLetterQueue implements DeadLetterQueue {
  readonly letters: DeadLetter[] = [];

  send(letter: DeadLetter): Promise<void> {
    return answer(() => {
      this.letters.push(frozenCopy(letter));
    });
  }
}
