import { type CommandEntry, COMMANDS } from './commands.ts';

const AWS = `The table is the stack's output JobTableName; without --table it is read from LONGHAUL_TABLE.
Region, credentials and endpoint are those of the AWS CLI: AWS_REGION, AWS_PROFILE, AWS_ENDPOINT_URL_DYNAMODB.`;

const API = `The URL of the API, stage included, is --url or LONGHAUL_URL; the key is --key or, better, LONGHAUL_KEY.
Exit codes: 0 done, 1 refused or failed, 2 called wrongly, 3 the job failed, 4 it was cancelled, 5 not ended in time.`;

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

function oneUsage(entry: CommandEntry): string {
  const { name, takes, does, examples } = entry;
  return [
    `usage: longhaul ${name} ${takes}`.trimEnd(),
    '',
    `${does}; for instance:`,
    ...examples.map((example) => `  ${example}`),
    ...needsOf([entry]),
  ].join('\n');
}

/** A group of commands with what they take; all of them only by what they do. */
function allUsages(entries: readonly CommandEntry[]): string {
  const isGroup = entries.length < COMMANDS.length;
  const width = Math.max(...entries.map(({ name }) => name.length));
  const lines = entries.map(({ name, takes, does }) =>
    isGroup ? `longhaul ${name} ${takes}`.trimEnd() : `${name.padEnd(width)}  ${does}`,
  );
  const list = isGroup
    ? lines.map((line, index) => (index === 0 ? `usage: ${line}` : `       ${line}`))
    : ['usage: longhaul <command> …', '', ...lines.map((line) => `  ${line}`)];
  return [
    ...list,
    '',
    'longhaul <command> --help shows what it takes, with examples.',
    ...needsOf(entries),
  ].join('\n');
}

function needsOf(entries: readonly CommandEntry[]): string[] {
  return [
    ...(entries.some(({ usesApi }) => usesApi === true) ? ['', API] : []),
    ...(entries.some(({ usesTable }) => usesTable) ? ['', AWS] : []),
  ];
}
