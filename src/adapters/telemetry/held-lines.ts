/** A line that is written only if something goes wrong. */
export interface HeldLine<Level> {
  readonly level: Level;
  readonly message: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** So many of one job, the newest, are enough to see what went before an error. */
const LINES = 100;

/**
 * Lines below the log level, by job: each invocation works on several, and the error of one is no reason to write down what
 * the others did. That is why the buffer of Powertools, which knows the invocation only, is not used.
 */
export class HeldLines<Level> {
  readonly #lines = new Map<string, HeldLine<Level>[]>();
  readonly #dropped = new Map<string, number>();

  hold(key: string, line: HeldLine<Level>): void {
    const lines = this.#lines.get(key) ?? [];
    this.#lines.set(key, lines);
    lines.push(line);
    if (lines.length <= LINES) return;
    lines.shift();
    this.#dropped.set(key, (this.#dropped.get(key) ?? 0) + 1);
  }

  /** The lines of a job, which are held no longer, and how many earlier ones are gone. */
  take(key: string): { readonly lines: readonly HeldLine<Level>[]; readonly dropped: number } {
    const taken = { lines: this.#lines.get(key) ?? [], dropped: this.#dropped.get(key) ?? 0 };
    this.#lines.delete(key);
    this.#dropped.delete(key);
    return taken;
  }

  clear(): void {
    this.#lines.clear();
    this.#dropped.clear();
  }
}
