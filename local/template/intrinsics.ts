import { TemplateError } from './template-error.ts';

/** What intrinsic functions may look up; `where` is named in errors. */
export interface Scope {
  readonly where: string;
  ref(name: string): unknown;
  attribute(logicalId: string, name: string): unknown;
  condition(name: string): boolean;
  mapping(map: string, topKey: string, secondKey: string): unknown;
}

/** `Ref: AWS::NoValue`: the property or list element that holds it is not there. */
export const NO_VALUE = Symbol('AWS::NoValue');

type Intrinsic = (argument: unknown, scope: Scope) => unknown;

/** Replaces every intrinsic function in `value` by what it stands for. */
export function resolve(value: unknown, scope: Scope): unknown {
  if (Array.isArray(value)) {
    return value.map((item) => resolve(item, scope)).filter((item) => item !== NO_VALUE);
  }
  if (!isRecord(value)) return value;
  const call = intrinsicCall(value);
  if (call) return intrinsicNamed(call.name, scope)(call.argument, scope);
  const entries = Object.entries(value).map(([key, item]) => [key, resolve(item, scope)] as const);
  return Object.fromEntries(entries.filter(([, item]) => item !== NO_VALUE));
}

/** The truth of an expression of the `Conditions` section or of `Fn::If`. */
export function resolveCondition(value: unknown, scope: Scope): boolean {
  const resolved =
    isRecord(value) && typeof value['Condition'] === 'string'
      ? scope.condition(value['Condition'])
      : resolve(value, scope);
  if (typeof resolved !== 'boolean') {
    throw new TemplateError(scope.where, `not a condition: ${JSON.stringify(value)}`);
  }
  return resolved;
}

const INTRINSICS: Readonly<Record<string, Intrinsic>> = {
  Ref: (name, scope) => scope.ref(asText(name, scope, 'Ref')),
  'Fn::GetAtt': (argument, scope) => {
    const path = typeof argument === 'string' ? splitOnce(argument, '.') : argument;
    const [logicalId, attribute] = asList(path, scope, 'Fn::GetAtt', 2);
    return scope.attribute(
      asText(logicalId, scope, 'Fn::GetAtt'),
      asText(resolve(attribute, scope), scope, 'Fn::GetAtt'),
    );
  },
  'Fn::Join': (argument, scope) => {
    const [separator, parts] = asList(argument, scope, 'Fn::Join', 2);
    const texts = asList(resolve(parts, scope), scope, 'Fn::Join').map((part) =>
      asText(part, scope, 'Fn::Join'),
    );
    return texts.join(asText(separator, scope, 'Fn::Join'));
  },
  'Fn::Sub': substitute,
  'Fn::Select': (argument, scope) => {
    const [index, options] = asList(resolve(argument, scope), scope, 'Fn::Select', 2);
    const chosen = asList(options, scope, 'Fn::Select')[Number(index)];
    if (chosen === undefined) {
      throw new TemplateError(scope.where, `Fn::Select has no element ${String(index)}`);
    }
    return chosen;
  },
  'Fn::Split': (argument, scope) => {
    const [separator, text] = asList(resolve(argument, scope), scope, 'Fn::Split', 2);
    return asText(text, scope, 'Fn::Split').split(asText(separator, scope, 'Fn::Split'));
  },
  'Fn::FindInMap': (argument, scope) => {
    const [map, top, second] = asList(resolve(argument, scope), scope, 'Fn::FindInMap', 3).map(
      (key) => asText(key, scope, 'Fn::FindInMap'),
    ) as [string, string, string];
    return scope.mapping(map, top, second);
  },
  'Fn::If': (argument, scope) => {
    const [name, whenTrue, whenFalse] = asList(argument, scope, 'Fn::If', 3);
    const chosen = scope.condition(asText(name, scope, 'Fn::If')) ? whenTrue : whenFalse;
    return resolve(chosen, scope);
  },
  'Fn::Equals': (argument, scope) => {
    const [left, right] = asList(resolve(argument, scope), scope, 'Fn::Equals', 2);
    return String(left) === String(right);
  },
  'Fn::And': (argument, scope) =>
    asList(argument, scope, 'Fn::And').every((item) => resolveCondition(item, scope)),
  'Fn::Or': (argument, scope) =>
    asList(argument, scope, 'Fn::Or').some((item) => resolveCondition(item, scope)),
  'Fn::Not': (argument, scope) =>
    !resolveCondition(asList(argument, scope, 'Fn::Not', 1)[0], scope),
};

function substitute(argument: unknown, scope: Scope): string {
  const [template, variables] = Array.isArray(argument)
    ? (argument as unknown[])
    : [argument, undefined];
  const own = isRecord(variables) ? variables : {};
  return asText(template, scope, 'Fn::Sub').replace(/\$\{([^}]+)\}/g, (_match, name: string) => {
    if (name.startsWith('!')) return `\${${name.slice(1)}}`;
    return asText(substituted(name, own, scope), scope, 'Fn::Sub');
  });
}

function substituted(name: string, own: Record<string, unknown>, scope: Scope): unknown {
  if (Object.hasOwn(own, name)) return resolve(own[name], scope);
  const [logicalId, attribute] = splitOnce(name, '.');
  return attribute === undefined ? scope.ref(name) : scope.attribute(logicalId, attribute);
}

function intrinsicCall(value: Record<string, unknown>) {
  const [name, ...others] = Object.keys(value);
  if (name === undefined || others.length > 0) return undefined;
  return name === 'Ref' || name.startsWith('Fn::') ? { name, argument: value[name] } : undefined;
}

function intrinsicNamed(name: string, scope: Scope): Intrinsic {
  const intrinsic = INTRINSICS[name];
  if (intrinsic) return intrinsic;
  throw new TemplateError(
    scope.where,
    `unknown intrinsic function ${name}; known: ${Object.keys(INTRINSICS).join(', ')}`,
  );
}

function asText(value: unknown, scope: Scope, intrinsic: string): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  throw new TemplateError(scope.where, `${intrinsic} needs a string, got ${JSON.stringify(value)}`);
}

function asList(value: unknown, scope: Scope, intrinsic: string, length?: number): unknown[] {
  if (Array.isArray(value) && (length === undefined || value.length === length)) return value;
  const wanted = length === undefined ? 'a list' : `a list of ${length}`;
  throw new TemplateError(
    scope.where,
    `${intrinsic} needs ${wanted}, got ${JSON.stringify(value)}`,
  );
}

function splitOnce(text: string, separator: string): [string, string?] {
  const at = text.indexOf(separator);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + separator.length)];
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
