import type { ApiRoute } from './api-model.ts';

export interface RouteMatch {
  readonly route: ApiRoute;
  readonly pathParameters: Readonly<Record<string, string>> | null;
}

/**
 * The route API Gateway would choose: at each segment a literal before a variable before a greedy variable. A method
 * that the more exact resource does not have falls through to a greedy one that does.
 */
export function matchRoute(
  routes: readonly ApiRoute[],
  method: string,
  path: string,
): RouteMatch | undefined {
  const segments = segmentsOf(path);
  const matches = routes
    .filter((route) => route.method === method || route.method === 'ANY')
    .flatMap((route) => {
      const pathParameters = matchSegments(segmentsOf(route.path), segments);
      return pathParameters ? [{ route, pathParameters }] : [];
    })
    .sort((left, right) => compareExactness(left.route, right.route));
  const [best] = matches;
  if (!best) return undefined;
  const names = Object.keys(best.pathParameters);
  return { route: best.route, pathParameters: names.length > 0 ? best.pathParameters : null };
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const parameters: Record<string, string> = {};
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at];
    if (segment === undefined) return undefined;
    const name = /^\{(.+?)(\+?)\}$/.exec(part);
    if (name?.[2] === '+') {
      parameters[name[1] ?? ''] = segments.slice(at).map(decoded).join('/');
      return parameters;
    }
    if (name) parameters[name[1] ?? ''] = decoded(segment);
    else if (part !== segment) return undefined;
  }
  return pattern.length === segments.length ? parameters : undefined;
}

function compareExactness(left: ApiRoute, right: ApiRoute): number {
  const [leftParts, rightParts] = [segmentsOf(left.path), segmentsOf(right.path)];
  for (let at = 0; at < Math.max(leftParts.length, rightParts.length); at += 1) {
    const difference = vagueness(leftParts[at]) - vagueness(rightParts[at]);
    if (difference !== 0) return difference;
  }
  return Number(left.method === 'ANY') - Number(right.method === 'ANY');
}

function vagueness(segment: string | undefined): number {
  if (segment === undefined || !segment.startsWith('{')) return 0;
  return segment.endsWith('+}') ? 2 : 1;
}

const segmentsOf = (path: string) => path.split('/').filter((segment) => segment !== '');

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
