import {
  type DeliveryDeps,
  listOwnDeliveries,
  resendDelivery,
} from '../../src/core/commands/deliveries.ts';
import { noFieldsSchema } from '../../src/protocol/command-requests.ts';
import { LIMITS } from '../../src/protocol/limits.ts';
import type { OperationId } from '../../src/protocol/routes.ts';
import { checkedBody } from './checked-body.ts';
import { deliveryRepresentation } from './delivery-representation.ts';
import type { HttpRequest, Serve } from './http-handler.ts';
import type { HttpResponse } from './http-response.ts';
import { jsonBodyOf } from './json-body.ts';
import { noSuchJob, ownJobOf } from './own-job.ts';
import { RequestRefused } from './request-refused.ts';
import { routeOf } from './route-of.ts';

/** What became of the notifications of a job, by operation. */
export function deliveryRoutes(deps: DeliveryDeps): Partial<Record<OperationId, Serve>> {
  return {
    listDeliveries: (request) => list(deps, request),
    resendDelivery: (request) => resend(deps, request),
  };
}

async function list(deps: DeliveryDeps, request: HttpRequest): Promise<HttpResponse> {
  const own = ownJobOf(request, routeOf('listDeliveries'));
  const deliveries = await listOwnDeliveries(deps, own);
  if (deliveries === undefined) throw noSuchJob(own.jobId);
  return { status: 200, body: { deliveries: deliveries.map(deliveryRepresentation) } };
}

const EMPTY_BODY = {
  limitBytes: LIMITS.commandBytes,
  advice: 'a resend takes no fields',
  whenEmpty: {},
};

async function resend(deps: DeliveryDeps, request: HttpRequest): Promise<HttpResponse> {
  const own = ownJobOf(request, routeOf('resendDelivery'));
  checkedBody(noFieldsSchema, jsonBodyOf(request.event, EMPTY_BODY));
  const deliveryId = request.event.pathParameters?.deliveryId ?? '';
  const result = await resendDelivery(deps, { ...own, deliveryId });
  if (result.outcome === 'no_job') throw noSuchJob(own.jobId);
  if (result.outcome === 'no_delivery') {
    throw new RequestRefused(
      'not_found',
      `the job has no delivery ${JSON.stringify(deliveryId)}: GET …/deliveries lists those it has`,
    );
  }
  return { status: 202, body: deliveryRepresentation(result.delivery) };
}
