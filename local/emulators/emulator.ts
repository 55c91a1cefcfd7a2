import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** An emulator in a thread of its own, so that it does not share a core's time with the gateway. */
export class Emulator {
  readonly endpoint: string;
  readonly #thread: Worker;

  private constructor(thread: Worker, port: number) {
    this.#thread = thread;
    this.endpoint = `http://127.0.0.1:${port}`;
  }

  /** Starts the thread and waits until it listens. */
  static async start(script: URL): Promise<Emulator> {
    const thread = new Worker(script, { env: {}, execArgv: [] });
    const [{ port }] = (await once(thread, 'message')) as [{ port: number }];
    return new Emulator(thread, port);
  }

  /** Sends a message the thread's script understands. */
  tell(message: unknown): void {
    this.#thread.postMessage(message);
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
