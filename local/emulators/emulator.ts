import { once } from 'node:events';
import { Worker } from 'node:worker_threads';

/** An emulator in a thread of its own, so that it does not share a core's time with the gateway. */
export class Emulator {
  readonly endpoint: string;
  readonly #thread: Worker;
  readonly #asked = new Map<number, (answer: unknown) => void>();
  #questions = 0;

  private constructor(thread: Worker, port: number) {
    this.#thread = thread;
    this.endpoint = `http://127.0.0.1:${port}`;
    thread.on('message', ({ question, answer }: { question: number; answer: unknown }) => {
      this.#asked.get(question)?.(answer);
      this.#asked.delete(question);
    });
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

  /** Sends a message that the thread's script answers. */
  ask(message: object): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const question = ++this.#questions;
    this.#asked.set(question, resolve);
    this.#thread.postMessage({ ...message, question });
    return promise;
  }

  async stop(): Promise<void> {
    await this.#thread.terminate();
  }
}
