import { parseArgs } from 'node:util';
import type { Terminal } from '../terminal.ts';
import { exactly } from './arguments.ts';
import { API_OPTIONS, openApi } from './open-api.ts';
import { INPUT_OPTIONS, readJson } from './read-json.ts';

/** `upload`: an input of any size; what it prints is for `submit --input-ref`. */
export async function upload(args: readonly string[], terminal: Terminal): Promise<void> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...API_OPTIONS, ...INPUT_OPTIONS },
  });
  exactly(positionals, []);
  const client = openApi(values, terminal);
  const inputRef = await client.upload(await readJson(values, terminal));
  terminal.out(values.json ? JSON.stringify(inputRef) : inputRef.uploadId);
}
