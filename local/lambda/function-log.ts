import type { ChildProcess } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

import type { FunctionConfig } from './function-config.ts';

export interface FunctionLogOptions {
  readonly alsoToConsole: boolean;
  /** Told each line that a function prints, and how its environments end. */
  readonly onLine: (functionName: string, line: string) => void;
}

/** What functions print, in one file, each line with the function and the environment it comes from; and access logs. */
export class FunctionLog {
  readonly #file: WriteStream;
  readonly #alsoToConsole: boolean;
  readonly #onLine: FunctionLogOptions['onLine'];

  constructor(path: string, { alsoToConsole, onLine }: FunctionLogOptions) {
    this.#file = createWriteStream(path);
    this.#alsoToConsole = alsoToConsole;
    this.#onLine = onLine;
  }

  follow(child: ChildProcess, config: FunctionConfig, environmentId: string): void {
    for (const output of [child.stdout, child.stderr]) {
      if (!output) continue;
      createInterface({ input: output }).on('line', (line) => {
        this.write(config, environmentId, line);
      });
    }
  }

  write(config: FunctionConfig, environmentId: string, line: string): void {
    this.#append(`${config.name} ${environmentId} ${line}\n`);
    this.#onLine(config.name, line);
  }

  /** A line about one request of an API. */
  access(apiName: string, line: string): void {
    this.#append(`${apiName} access ${line}\n`);
  }

  #append(text: string): void {
    // A request may outlive the log of a cloud that is being stopped.
    if (this.#file.writableEnded) return;
    this.#file.write(text);
    if (this.#alsoToConsole) process.stdout.write(text);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#file.end(resolve));
  }
}
