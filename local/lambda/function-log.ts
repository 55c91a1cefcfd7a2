import { createWriteStream, type WriteStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Worker } from 'node:worker_threads';
import type { FunctionConfig } from './function-config.ts';

/** What functions print, in one file, each line with the function and the environment it comes from. */
export class FunctionLog {
  readonly #file: WriteStream;
  readonly #alsoToConsole: boolean;

  constructor(path: string, alsoToConsole: boolean) {
    this.#file = createWriteStream(path, { flags: 'a' });
    this.#alsoToConsole = alsoToConsole;
  }

  follow(thread: Worker, config: FunctionConfig, environmentId: string): void {
    for (const output of [thread.stdout, thread.stderr]) {
      createInterface({ input: output }).on('line', (line) => {
        this.write(config, environmentId, line);
      });
    }
  }

  write(config: FunctionConfig, environmentId: string, line: string): void {
    const text = `${config.name} ${environmentId} ${line}\n`;
    this.#file.write(text);
    if (this.#alsoToConsole) process.stdout.write(text);
  }

  async close(): Promise<void> {
    await new Promise<void>((resolve) => this.#file.end(resolve));
  }
}
