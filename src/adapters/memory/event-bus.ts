import type { EventBus, StatusChange } from '../../core/ports/event-bus.ts';
import { answer } from './answer.ts';
import { frozenCopy } from './frozen-copy.ts';

export class MemoryEventBus implements EventBus {
  readonly changes: StatusChange[] = [];

  put(change: StatusChange): Promise<void> {
    return answer(() => {
      this.changes.push(frozenCopy(change));
    });
  }
}
