interface Statement {
  readonly Effect: string;
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

/** Whether the policy an authorizer returned lets the method be invoked: a deny wins, and silence is no. */
export function allows(statements: readonly Statement[], methodArn: string): boolean {
  const matching = statements.filter(
    ({ Action, Resource }) =>
      listOf(Action).some((action) => matches(action.toLowerCase(), 'execute-api:invoke')) &&
      listOf(Resource).some((resource) => matches(resource, methodArn)),
  );
  if (matching.some(({ Effect }) => Effect === 'Deny')) return false;
  return matching.some(({ Effect }) => Effect === 'Allow');
}

/** The statements of a policy document, or undefined when it is not one. */
export function statementsOf(document: unknown): Statement[] | undefined {
  if (typeof document !== 'object' || document === null) return undefined;
  const { Statement: statements } = document as { Statement?: unknown };
  const all: unknown[] = Array.isArray(statements) ? statements : [statements];
  return all.every(isStatement) ? all : undefined;
}

function isStatement(value: unknown): value is Statement {
  if (typeof value !== 'object' || value === null) return false;
  const { Action, Effect, Resource } = value as Record<string, unknown>;
  return (Effect === 'Allow' || Effect === 'Deny') && isTexts(Action) && isTexts(Resource);
}

const isTexts = (value: unknown) =>
  listOf(value).length > 0 && listOf(value).every((item) => typeof item === 'string');

const listOf = <Item>(value: Item | readonly Item[]): readonly Item[] =>
  Array.isArray(value) ? (value as readonly Item[]) : [value as Item];

function matches(pattern: string, text: string): boolean {
  const expression = pattern
    .replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('*', '.*')
    .replaceAll('?', '.');
  return new RegExp(`^${expression}$`, 's').test(text);
}
