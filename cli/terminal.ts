import type { Delay } from '../client/delay.ts';
import type { ExitCode } from './exit-code.ts';

/** Where a command reads its defaults and writes. */
export interface Terminal {
  /** A line of the result: what a script reads. */
  out(line: string): void;
  /** A line for a person. */
  note(line: string): void;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absent where the output goes into a file or another program. */
  readonly screen?: Screen;
  /** All of standard input; absent where that is a keyboard. */
  readonly readInput?: () => Promise<string>;
  /** The user has had enough. */
  readonly signal?: AbortSignal;
  /** @default - the global `fetch` */
  readonly fetch?: typeof globalThis.fetch;
  /** @default - by a timer */
  readonly delay?: Delay;
}

/** A terminal that shows what is written over again. */
export interface Screen {
  readonly columns: number;
  write(text: string): void;
}

/** One command; its arguments are what follows its name. Answers how it ended, if not well. */
export type Command = (
  args: readonly string[],
  terminal: Terminal,
  // eslint-disable-next-line @typescript-eslint/no-invalid-void-type -- most commands are done when they return
) => Promise<ExitCode | void>;
