import { jest } from '@jest/globals';

/** A line on standard output or standard error, as CloudWatch gets it. */
export interface WrittenLine {
  readonly text: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Keeps what is written in the place of writing it, until all mocks are restored. */
export function keepWrittenLines(): WrittenLine[] {
  const lines: WrittenLine[] = [];
  const keep = (chunk: string | Uint8Array): boolean => {
    const text = String(chunk);
    lines.push({ text, fields: JSON.parse(text) as WrittenLine['fields'] });
    return true;
  };
  jest.spyOn(process.stdout, 'write').mockImplementation(keep);
  jest.spyOn(process.stderr, 'write').mockImplementation(keep);
  return lines;
}
