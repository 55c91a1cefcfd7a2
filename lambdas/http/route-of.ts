import { type OperationId, ROUTES } from '../../src/protocol/routes.ts';

type RouteNamed<Id extends OperationId> = Extract<
  (typeof ROUTES)[number],
  { readonly operationId: Id }
>;

/** The row of the route table for an operation. */
export function routeOf<Id extends OperationId>(operationId: Id): RouteNamed<Id> {
  const route = ROUTES.find((candidate) => candidate.operationId === operationId);
  return route as RouteNamed<Id>;
}
