import type { FlushableTelemetry } from '../../src/adapters/telemetry/powertools-telemetry.ts';
import type { BatchOutcomeRepresentation } from '../../src/protocol/batch.ts';
import type { Problem } from '../../src/protocol/problem.ts';
import { failureResult, type HttpRequest } from './http-handler.ts';
import { requestIdOf } from './request.ts';

/** With a hundred entries the answer must stay far below the 6 MB that Lambda takes. */
const FAULTS_PER_ENTRY = 10;

/** Why an entry of a batch was not accepted; pointers lead into the body of the batch. */
export function entryProblem(
  error: unknown,
  index: number,
  { event, telemetry }: Pick<HttpRequest, 'event'> & { readonly telemetry: Telemetry },
): BatchOutcomeRepresentation {
  const result = failureResult(error, requestIdOf(event), { telemetry, note: () => undefined });
  const { errors, ...problem } = JSON.parse(result.body) as Problem;
  const located = errors?.slice(0, FAULTS_PER_ENTRY).map(({ pointer, ...fault }) => ({
    ...fault,
    ...(pointer !== undefined && { pointer: `/jobs/${index}${pointer}` }),
  }));
  return {
    status: result.statusCode,
    problem: { ...problem, ...(located !== undefined && { errors: located }) },
  };
}

type Telemetry = Pick<FlushableTelemetry, 'log'>;
