import { DOCUMENTED, type DocumentedOperation } from './document.ts';

export interface Found {
  readonly operation: DocumentedOperation;
  /** Values of `{name}`, decoded. */
  readonly pathValues: Readonly<Record<string, string>>;
}

/** The operation that API Gateway picks, which overlooks empty segments: the path first, a fixed segment before a `{name}`, and the method then. */
export function findOperation(method: string, pathname: string): Found | undefined {
  const segments = pathname.split('/').filter((segment) => segment !== '');
  const [path] = [...new Set(DOCUMENTED.map(({ path }) => path))]
    .filter((candidate) => matches(candidate, segments))
    .sort((a, b) => rank(a).localeCompare(rank(b)));
  const operation = DOCUMENTED.find((one) => one.path === path && one.method === method);
  if (operation === undefined) return undefined;
  const values = partsOf(operation.path).flatMap((part, index) =>
    part.startsWith('{') ? [[part.slice(1, -1), decoded(segments[index] ?? '')]] : [],
  );
  return { operation, pathValues: Object.fromEntries(values) as Record<string, string> };
}

const partsOf = (path: string): string[] => path.split('/').slice(1);

function matches(path: string, segments: readonly string[]): boolean {
  const parts = partsOf(path);
  return (
    parts.length === segments.length &&
    parts.every((part, index) => part.startsWith('{') || part === segments[index])
  );
}

/** Sorts fixed segments first, from left to right. */
function rank(path: string): string {
  return partsOf(path)
    .map((part) => (part.startsWith('{') ? '1' : '0'))
    .join('');
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
