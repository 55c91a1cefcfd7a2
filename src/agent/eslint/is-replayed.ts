import type { Rule, Scope, SourceCode } from 'eslint';
import type * as ESTree from 'estree';

type Node = Rule.Node;

/** Names and types of the parameter by which code knows that it is part of `run`. */
const CONTEXT_NAME = /^(?:ctx|scope|agentContext)$/;
const CONTEXT_TYPE = /\b(?:AgentContext|Scope)\b/;

/**
 * Whether code is replayed: it stands in an agent outside of its steps, or at the top of a module, or in a function that is
 * called there. Of functions whose callers stand in other files nothing is known, and they pass.
 */
export function isReplayed(source: SourceCode, node: Node): boolean {
  return look(source, node, new Set());
}

function look(source: SourceCode, start: Node, seen: Set<Scope.Variable>): boolean {
  let isInFunction = false;
  for (let node: Node | null = start; node !== null; node = parentOf(node)) {
    if (isStepCallback(node, isInFunction || isFunction(node))) return false;
    if (isFunction(node)) {
      isInFunction = true;
      if (takesContext(source, node)) return true;
    }
    if (isCallOf(node, 'defineAgent')) return true;
    if (isInFunction && isBinding(node)) return isCalledWhereReplayed(source, node, seen);
  }
  return true;
}

function isCalledWhereReplayed(
  source: SourceCode,
  binding: Node,
  seen: Set<Scope.Variable>,
): boolean {
  return source.getDeclaredVariables(binding).some((variable) => {
    if (seen.has(variable)) return false;
    seen.add(variable);
    return variable.references
      .filter(({ identifier, init }) => init !== true && !isExported(identifier as Node))
      .some(({ identifier }) => look(source, identifier as Node, seen));
  });
}

/** The function that a step runs, or something that is inside of it. */
function isStepCallback(node: Node, isFunctionOrInside: boolean): boolean {
  const call = parentOf(node);
  if (call === null || !isCallOf(call, 'step')) return false;
  const isSecond = (call as ESTree.CallExpression).arguments[1] === node;
  return isSecond && (isFunctionOrInside || /^(?:Identifier|MemberExpression)$/.test(node.type));
}

function isCallOf(node: Node, name: string): boolean {
  if (node.type !== 'CallExpression') return false;
  const { callee } = node;
  if (callee.type === 'Identifier') return callee.name === name;
  return (
    callee.type === 'MemberExpression' &&
    callee.property.type === 'Identifier' &&
    callee.property.name === name
  );
}

function isFunction(
  node: Node,
): node is Node &
  (ESTree.FunctionDeclaration | ESTree.FunctionExpression | ESTree.ArrowFunctionExpression) {
  return /^(?:FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type);
}

function takesContext(source: SourceCode, fn: { readonly params: ESTree.Pattern[] }): boolean {
  return fn.params.some(
    (param) =>
      (param.type === 'Identifier' && CONTEXT_NAME.test(param.name)) ||
      CONTEXT_TYPE.test(typeText(source, param)),
  );
}

/** The annotation, which only a parser for TypeScript gives. */
function typeText(source: SourceCode, param: ESTree.Pattern): string {
  const { typeAnnotation } = param as { typeAnnotation?: ESTree.Node };
  return typeAnnotation === undefined ? '' : source.getText(typeAnnotation);
}

function isBinding(node: Node): boolean {
  return /^(?:FunctionDeclaration|ClassDeclaration|VariableDeclarator)$/.test(node.type);
}

/** `export { name }` tells nothing of who calls it. */
function isExported(identifier: Node): boolean {
  return /^Export/.test(parentOf(identifier)?.type ?? '');
}

export function parentOf(node: Node): Node | null {
  return (node as { parent?: Node | null }).parent ?? null;
}
