import type { APIGatewayProxyEvent } from 'aws-lambda';
import { type OperationId, type Route, ROUTES } from '../../src/protocol/routes.ts';
import { plainQuery } from './checked-query.ts';
import type { Serve } from './http-handler.ts';
import { RequestRefused } from './request-refused.ts';

/** Serves each request by API Gateway's resource and method; what matches none is refused. */
export function router(served: Partial<Record<OperationId, Serve>>): Serve {
  const table = new Map<string, Serve>(
    ROUTES.flatMap((route: Route & { readonly operationId: OperationId }) => {
      const { operationId, method, path } = route;
      const serve = served[operationId];
      return serve === undefined ? [] : [[`${method} ${path}`, checking(route, serve)] as const];
    }),
  );
  return (request) => {
    const { httpMethod, resource } = request.event;
    const serve = table.get(`${httpMethod} ${resource}`);
    if (serve === undefined) throw unrouted(request.event);
    return serve(request);
  };
}

/** What takes query parameters checks them itself; probes add some to what is open. */
function checking({ scope, hasQuery }: Route, serve: Serve): Serve {
  if (scope === undefined || hasQuery === true) return serve;
  return (request) => {
    plainQuery([], request.event);
    return serve(request);
  };
}

function unrouted(event: APIGatewayProxyEvent): RequestRefused {
  const path = pathBelowStage(event);
  const allowed = methodsOf(path);
  if (allowed.length === 0) {
    return new RequestRefused('not_found', `there is no ${path}`);
  }
  const allow = allowed.join(', ');
  return new RequestRefused(
    'method_not_allowed',
    `${path} does not take ${event.httpMethod}: it takes ${allow}`,
    { headers: { allow } },
  );
}

/** Taken from the path parameters where there are any: `event.path` may begin with the base path of a custom domain. */
function pathBelowStage({ path, resource, pathParameters }: APIGatewayProxyEvent): string {
  if (resource === '/{proxy+}') return `/${pathParameters?.proxy ?? ''}`;
  return resource === '/' ? path : resource;
}

/** API Gateway prefers a fixed path to one with a parameter, whatever methods it has. */
function methodsOf(path: string): string[] {
  const fitting = ROUTES.filter((route) => matches(route, path));
  const fixed = fitting.filter((route) => route.path === withoutSlash(path));
  return (fixed.length > 0 ? fixed : fitting).map(({ method }) => method);
}

const withoutSlash = (path: string): string => path.replace(/\/$/, '');

function matches(route: Route, path: string): boolean {
  const segments = withoutSlash(path).split('/');
  const template = route.path.split('/');
  return (
    segments.length === template.length &&
    template.every((part, index) => part.startsWith('{') || part === segments[index])
  );
}
