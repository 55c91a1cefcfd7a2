import type { ChildProcess } from 'node:child_process';
import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';

import type { FunctionConfig } from './function-config.ts';

/** What functions print, in one file, each line with the function and the environment it comes from; and access logs. */
export class FunctionLog {
  readonly #file: WriteStream;
  readonly #alsoToConsole: boolean;

  constructor(path: string, alsoToConsole: boolean) {
    this.#file = createWriteStream(path);
    this.#alsoToConsole = alsoToConsole;
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
