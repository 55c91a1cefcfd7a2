/** When something was decided: by the clock of the journal, and among its entries. */
interface Decided {
  readonly at: number;
  readonly order: number;
}

/** Tells an agent one decided thing at a time, always the first in the journal of those that it has asked for. */
export class Turns {
  readonly #asked: (Decided & { readonly tell: () => void })[] = [];

  of({ at, order }: Decided): Promise<void> {
    return new Promise((tell) => {
      this.#asked.push({ at, order, tell });
    });
  }

  /** After the last of them; at once when there are none. */
  async afterAll(decided: readonly Decided[]): Promise<void> {
    const last = [...decided].sort(inOrder).at(-1);
    if (last !== undefined) await this.of(last);
  }

  /** Settles when the agent asks for nothing any more that is decided. */
  async taken(): Promise<void> {
    await microtasksDone();
    while (this.#asked.length > 0) {
      this.#asked.sort(inOrder);
      this.#asked.shift()?.tell();
      await microtasksDone();
    }
  }
}

function inOrder(a: Decided, b: Decided): number {
  return a.at - b.at || a.order - b.order;
}

/** A tick that a microtask asks for comes after the last microtask. */
function microtasksDone(): Promise<void> {
  return new Promise((resolve) => {
    queueMicrotask(() => {
      process.nextTick(resolve);
    });
  });
}
