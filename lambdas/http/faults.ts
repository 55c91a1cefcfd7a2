import { LIMITS } from '../../src/protocol/limits.ts';
import type { Fault } from '../../src/protocol/problem.ts';
import { jsonPointer } from './json-pointer.ts';
import { RequestRefused } from './request-refused.ts';

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** A refusal with a pointer per fault, the first hundred of them. */
export function faultyRequest(
  code: 'invalid_request' | 'invalid_input' | 'invalid_limits' | 'invalid_schedule',
  issues: readonly Issue[],
): RequestRefused {
  const errors: Fault[] = issues
    .slice(0, LIMITS.listedFaults)
    .map(({ path, message }) => ({ pointer: jsonPointer(path), message }));
  const count = issues.length === 1 ? 'one fault' : `${issues.length} faults`;
  const listed = issues.length > errors.length ? `, the first ${errors.length} are listed` : '';
  return new RequestRefused(code, `${count}${listed}: see errors`, { errors });
}
