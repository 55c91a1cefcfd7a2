/** Where a command reads its defaults and writes. */
export interface Terminal {
  /** A line of the result: what a script reads. */
  out(line: string): void;
  /** A line for a person. */
  note(line: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** One command; its arguments are what follows its name. */
export type Command = (args: readonly string[], terminal: Terminal) => Promise<void>;
