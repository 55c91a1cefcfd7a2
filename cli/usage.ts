import { type CommandEntry, COMMANDS } from './commands.ts';

const AWS = `The table is the stack's output JobTableName; without --table it is read from LONGHAUL_TABLE.
Region, credentials and endpoint are those of the AWS CLI: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_DYNAMODB.`;

/** How to call the commands that begin with these words: one of them with its examples, or a list of several. */
export function usageOf(words: readonly string[]): string {
  const entries = matching(words);
  const [only] = entries;
  return entries.length === 1 && only !== undefined ? oneUsage(only) : allUsages(entries);
}

/** Those whose first word was given, and the second where it is right; all when not even the first is. */
function matching([first, second]: readonly string[]): readonly CommandEntry[] {
  const group = COMMANDS.filter(({ name }) => name.split(' ')[0] === first);
  const exact = group.filter(({ name }) => (name.split(' ')[1] ?? second) === second);
  if (exact.length > 0) return exact;
  return group.length > 0 ? group : COMMANDS;
}

function oneUsage({ name, takes, does, examples, usesTable }: CommandEntry): string {
  return [
    `usage: longhaul ${name} ${takes}`.trimEnd(),
    '',
    `${does}; for instance:`,
    ...examples.map((example) => `  ${example}`),
    ...(usesTable ? ['', AWS] : []),
  ].join('\n');
}

function allUsages(entries: readonly CommandEntry[]): string {
  const lines = entries.map(({ name, takes }) => `longhaul ${name} ${takes}`.trimEnd());
  const indented = lines.map((line, index) => (index === 0 ? `usage: ${line}` : `       ${line}`));
  return [...indented, '', 'longhaul <command> --help shows examples.', AWS].join('\n');
}
