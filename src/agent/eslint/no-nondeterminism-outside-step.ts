import type { Rule, Scope, SourceCode } from 'eslint';
import type * as ESTree from 'estree';
import { isReplayed, parentOf } from './is-replayed.ts';
import { GLOBALS, MODULES, RANDOM_OF_CRYPTO } from './nondeterminism.ts';

type Node = Rule.Node;

/** Forbids what differs between two runs in code that is replayed, which is all of an agent but its steps. */
export const noNondeterminismOutsideStep: Rule.RuleModule = {
  meta: {
    type: 'problem',
    docs: {
      description:
        'forbid clocks, randomness, timers, requests and the environment outside of steps',
    },
    schema: [],
    messages: {
      outsideStep:
        '{{what}} may give something else in a replay: call it inside a step, whose outcome is recorded',
    },
  },
  create(context) {
    const { sourceCode } = context;
    const check = (node: Node, what: string): void => {
      if (isReplayed(sourceCode, node))
        context.report({ node, messageId: 'outsideStep', data: { what } });
    };
    return {
      'Program:exit'(program: ESTree.Program) {
        for (const reference of globalReferences(sourceCode, program))
          checkGlobal(reference, check);
      },
      ImportDeclaration(node) {
        for (const variable of sourceCode.getDeclaredVariables(node))
          checkImport(node, variable, check);
      },
    };
  },
};

type Check = (node: Node, what: string) => void;

/** References to names that no code of the file declares. */
function globalReferences(source: SourceCode, program: ESTree.Program): Scope.Reference[] {
  const scope = source.getScope(program);
  const declaredByNobody = [...scope.set.values()].filter(({ defs }) => defs.length === 0);
  return [...scope.through, ...declaredByNobody.flatMap(({ references }) => references)];
}

function checkGlobal({ identifier }: Scope.Reference, check: Check): void {
  if (isType(identifier as Node)) return;
  const { node, path } = memberPath(identifier as Node);
  const name = path.replace(/^globalThis\./, '');
  const found = [name, ...prefixes(name)].find((prefix) => GLOBALS.has(prefix));
  if (found !== undefined) check(node, found === 'process' ? name : found);
  else if (name === 'Date' && isWithoutArguments(node)) check(node, 'the present date');
}

/** `Date()` gives the present whatever it is given; `new Date(…)` with arguments does not. */
function isWithoutArguments(node: Node): boolean {
  const parent = parentOf(node);
  if (parent?.type === 'CallExpression') return parent.callee === node;
  return parent?.type === 'NewExpression' && parent.arguments.length === 0;
}

/** The longest chain of plain members that begins with an identifier: `globalThis.crypto.randomUUID`. */
function memberPath(identifier: Node): { node: Node; path: string } {
  let node = identifier;
  let path = (identifier as ESTree.Identifier).name;
  for (;;) {
    const parent = parentOf(node);
    if (parent?.type !== 'MemberExpression' || parent.object !== node) return { node, path };
    const name = memberName(parent);
    if (name === undefined) return { node, path };
    path = `${path}.${name}`;
    node = parent;
  }
}

function memberName({ property, computed }: ESTree.MemberExpression): string | undefined {
  if (!computed) return property.type === 'Identifier' ? property.name : undefined;
  return property.type === 'Literal' && typeof property.value === 'string'
    ? property.value
    : undefined;
}

/** `a.b` and `a` of `a.b.c`. */
function prefixes(path: string): string[] {
  const parts = path.split('.');
  return parts.slice(1).map((_, index) => parts.slice(0, parts.length - 1 - index).join('.'));
}

function checkImport(node: ESTree.ImportDeclaration, variable: Scope.Variable, check: Check): void {
  const module = String(node.source.value).replace(/^node:/, '');
  const imported = importedName(variable);
  const isRandom =
    module === 'crypto' && (imported === undefined || RANDOM_OF_CRYPTO.has(imported));
  if (!MODULES.has(module) && !isRandom) return;
  for (const { identifier } of variable.references) {
    if (isType(identifier as Node)) continue;
    const { node: member, path } = memberPath(identifier as Node);
    const used = imported ?? path.split('.')[1];
    if (module === 'crypto' && used !== undefined && !RANDOM_OF_CRYPTO.has(used)) continue;
    check(member, `${path} of ${module}`);
  }
}

/** Undefined for the whole module: `import * as fs`, `import fs`. */
function importedName({ defs: [definition] }: Scope.Variable): string | undefined {
  const specifier = definition?.node as ESTree.Node | undefined;
  if (specifier?.type !== 'ImportSpecifier') return undefined;
  const { imported } = specifier;
  return imported.type === 'Identifier' ? imported.name : String(imported.value);
}

/** Names in types do nothing when the code runs. */
function isType(identifier: Node): boolean {
  const parent = parentOf(identifier);
  const holdsValue = /^TS(?:As|NonNull|Satisfies|TypeAssertion|Instantiation)/;
  return parent !== null && parent.type.startsWith('TS') && !holdsValue.test(parent.type);
}
