import type { Operation } from './operation.ts';
import { COMMAND_OPERATIONS } from './operations/commands.ts';
import { DELIVERY_OPERATIONS } from './operations/deliveries.ts';
import { DEAD_LETTER_OPERATIONS } from './operations/dead-letters.ts';
import { JOB_OPERATIONS } from './operations/jobs.ts';
import { OPEN_OPERATIONS } from './operations/open.ts';
import { SCHEDULE_OPERATIONS } from './operations/schedules.ts';
import { STALLED_JOB_OPERATIONS } from './operations/stalled-jobs.ts';
import { TENANT_OPERATIONS } from './operations/tenant.ts';
import { UPLOAD_OPERATIONS } from './operations/uploads.ts';
import type { ProblemCode } from './problems.ts';
import type { OperationId, Route } from './routes.ts';

/**
 * What every route of the table takes and answers, in schemas. The OpenAPI document derives from it, and tests hold each answer
 * against it: a route without an entry does not compile.
 */
export const OPERATIONS: Readonly<Record<OperationId, Operation>> = {
  ...JOB_OPERATIONS,
  ...COMMAND_OPERATIONS,
  ...UPLOAD_OPERATIONS,
  ...SCHEDULE_OPERATIONS,
  ...DELIVERY_OPERATIONS,
  ...DEAD_LETTER_OPERATIONS,
  ...STALLED_JOB_OPERATIONS,
  ...TENANT_OPERATIONS,
  ...OPEN_OPERATIONS,
};

/** Whatever is asked, API Gateway or a function may refuse it so. */
const EVERYWHERE: readonly ProblemCode[] = [
  'invalid_request',
  'throttled',
  'internal_error',
  'unavailable',
];
const WITH_KEY: readonly ProblemCode[] = ['unauthorized', 'insufficient_scope'];

/** Codes of all problems that a route may answer. */
export function problemCodesOf(route: Route, operation: Operation): readonly ProblemCode[] {
  return [
    ...new Set([
      ...EVERYWHERE,
      ...(route.scope === undefined ? [] : WITH_KEY),
      ...operation.problems,
    ]),
  ];
}
