import { projectFiles, readProjectFile } from './source-tree.ts';

/** A command of a document, as a reader would type it. */
export interface ShellExample {
  readonly document: string;
  /** Heading it stands under. */
  readonly section: string;
  /** One or several lines. */
  readonly command: string;
}

/** README first, then what it leads to: what one defines the next may use. */
const DOCUMENTS = ['README.md', 'docs/api.md'];

/** Every command of the `sh` blocks that call `curl`, in the order of reading. */
export function curlExamples(): ShellExample[] {
  const others = projectFiles('.md').filter((path) => !DOCUMENTS.includes(path));
  return [...DOCUMENTS, ...others].flatMap((document) => examplesOf(document));
}

function examplesOf(document: string): ShellExample[] {
  const part = /^#+ (?<heading>.+)$|^```sh\n(?<block>[\s\S]*?)^```$/gm;
  let section = '';
  let callsCurl = (block: string): boolean => /\bcurl\b/.test(block);
  return [...readProjectFile(document).matchAll(part)].flatMap(({ groups }) => {
    section = groups?.['heading'] ?? section;
    const { block = '' } = groups ?? {};
    if (!callsCurl(block)) return [];
    const [, alias] = /^alias (\w+)='curl /m.exec(block) ?? [];
    if (alias !== undefined) callsCurl = (text) => new RegExp(`\\b(?:curl|${alias})\\b`).test(text);
    return commandsOf(block).map((command) => ({ document, section, command }));
  });
}

/** A command ends with its line, unless a quote or a backslash carries it on. */
function commandsOf(block: string): string[] {
  const commands: string[] = [];
  let open: string[] = [];
  for (const line of block.split('\n')) {
    open.push(withoutComment(line));
    const command = open.join('\n');
    if (isOpen(command)) continue;
    if (command.trim() !== '') commands.push(command.trim());
    open = [];
  }
  return commands;
}

/** Comments of the documents begin after white space, and no text in quotes has a `#` there. */
function withoutComment(line: string): string {
  return line.replace(/(?:^|\s)#\s.*$/, '');
}

function isOpen(command: string): boolean {
  let quote: string | undefined;
  for (let at = 0; at < command.length; at += 1) {
    const char = command.charAt(at);
    if (char === '\\' && quote !== "'") at += 1;
    else if (quote === undefined && (char === "'" || char === '"')) quote = char;
    else if (char === quote) quote = undefined;
  }
  return quote !== undefined || command.endsWith('\\');
}
