import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What the documents leave to their reader, in the words of the examples. */
export interface Reader {
  /** Stands for `http://127.0.0.1:4000/v1`. */
  readonly apiUrl: string;
  /** Stands for `lh_…`. */
  readonly key: string;
}

export interface ExampleOutcome {
  /** Of the last answer; undefined where nothing was asked. */
  readonly status?: number;
  readonly output: string;
}

const PRINTED_URL = 'http://127.0.0.1:4000/v1';
/** A stream that does not end by itself is left after some seconds, as a reader would. */
const STREAM_SECONDS = 4;
const ID = /"(?:job|delivery|upload)Id": ?"(([a-z]+_)[^"]+)"/g;
const SETS_SOMETHING = /^(?:alias |[A-Z_][A-Z0-9_]*=)/;

/** A shell in which the examples of the documents are typed one after the other. */
export class ExampleShell {
  readonly #folder: string;
  readonly #reader: Reader;
  readonly #settings: string[] = [];
  /** By their beginning, such as `job_`. */
  readonly #ids = new Map<string, string>();

  private constructor(folder: string, reader: Reader) {
    this.#folder = folder;
    this.#reader = reader;
  }

  /** `files`: what the examples find beside them. */
  static async open(
    reader: Reader,
    files: Readonly<Record<string, string>>,
  ): Promise<ExampleShell> {
    const folder = await mkdtemp(join(tmpdir(), 'longhaul-examples-'));
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    return new ExampleShell(folder, reader);
  }

  /** Job of the last answer that named one. */
  get jobId(): string {
    return this.#ids.get('job_') ?? '';
  }

  async run(command: string): Promise<ExampleOutcome> {
    const text = command
      .replaceAll(PRINTED_URL, this.#reader.apiUrl)
      .replaceAll('lh_…', this.#reader.key)
      // Ids are those of the last answer that had such a one.
      .replace(/\b([a-z]+_)…/g, (printed, prefix: string) => this.#ids.get(prefix) ?? printed);
    if (SETS_SOMETHING.test(text)) {
      this.#settings.push(text);
      return { output: '' };
    }
    const headers = join(this.#folder, '.headers');
    await writeFile(headers, '');
    const script = [PREAMBLE, ...this.#settings, text].join('\n');
    const output = await this.#bash(script, headers);
    for (const [, id = '', prefix = ''] of output.matchAll(ID)) this.#ids.set(prefix, id);
    const [, status] =
      (await readFile(headers, 'utf8'))
        .match(/^HTTP\/\S+ (\d+)/gm)
        ?.at(-1)
        ?.split(' ') ?? [];
    return { output, ...(status !== undefined && { status: Number(status) }) };
  }

  async close(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }

  #bash(script: string, headers: string): Promise<string> {
    const env = { ...process.env, HEADERS: headers };
    return new Promise((resolve) => {
      execFile('bash', ['-c', script], { cwd: this.#folder, env }, (_error, stdout, stderr) => {
        resolve(`${stdout}${stderr}`);
      });
    });
  }
}

/** Keeps the head of each answer, and looks at a stream for a moment only. */
const PREAMBLE = `
shopt -s expand_aliases
curl() {
  case "$*" in */events*) set -- -m ${STREAM_SECONDS} "$@" ;; esac
  command curl -D "$HEADERS" "$@"
}`;
