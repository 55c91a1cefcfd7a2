import { readFile } from 'node:fs/promises';
import type { Terminal } from '../terminal.ts';
import { findInexactInteger, inexactMessage } from '../../src/agent/exact-integer.ts';
import { UsageError } from '../usage-error.ts';

/** Options of every command that sends a JSON value of the user's. */
export const INPUT_OPTIONS = {
  input: { type: 'string' },
  'input-file': { type: 'string' },
} as const;

interface InputValues {
  readonly input?: string | undefined;
  readonly 'input-file'?: string | undefined;
}

/** JSON text of `--input`, `--input-file` (`-` is standard input), or standard input where that is no keyboard. */
export async function readJson(values: InputValues, terminal: Terminal): Promise<string> {
  const { input, 'input-file': file } = values;
  if (input !== undefined && file !== undefined) {
    throw new UsageError('--input and --input-file are given: one of them is the input');
  }
  if (input !== undefined) return checked(input, '--input');
  if (file !== undefined && file !== '-') return checked(await textOf(file), file);
  if (terminal.readInput !== undefined) {
    return checked(await terminal.readInput(), 'standard input');
  }
  throw new UsageError(
    "there is no input: give --input '{…}', --input-file <path>, or pipe JSON into the command",
  );
}

async function textOf(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw new UsageError(`--input-file cannot be read: ${(error as Error).message}`);
  }
}

function checked(text: string, where: string): string {
  try {
    JSON.parse(text);
  } catch (error) {
    const what = text.trim() === '' ? 'it is empty' : (error as Error).message;
    throw new UsageError(`${where} is no JSON: ${what}`);
  }
  // Parsed and written anew on its way, where the API could not see what has become of it.
  const inexact = findInexactInteger(text);
  if (inexact === undefined) return text;
  throw new UsageError(`${where} cannot be sent as it is: ${inexactMessage(inexact)}`);
}
