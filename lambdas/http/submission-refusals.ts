import type { SubmissionCheck } from '../../src/core/commands/check-submission.ts';
import { UPLOAD_DAYS } from '../../src/protocol/limits.ts';
import { agentRefused } from './agent-refused.ts';
import { faultyRequest } from './faults.ts';
import { RequestRefused } from './request-refused.ts';

type Refused = Extract<SubmissionCheck, { readonly valid: false }>;

/** Why a submission of the right form is refused all the same. */
export function submissionRefused(check: Refused, agent: string): RequestRefused {
  switch (check.code) {
    case 'unknown_agent':
    case 'agent_not_allowed':
      return agentRefused(check.code, agent, check.knownAgents);
    case 'upload_missing':
      return uploadMissing();
    case 'upload_mismatch':
      return uploadMismatch(check);
    case 'invalid_limits':
      return faultyRequest('invalid_limits', check.faults);
    case 'invalid_input':
      return faultyRequest(
        'invalid_input',
        check.faults.map(({ path, message }) => ({ path: ['input', ...path], message })),
      );
  }
}

const UPLOAD_POINTER = '/inputRef/uploadId';

function uploadMissing(): RequestRefused {
  return new RequestRefused(
    'upload_missing',
    `nothing was uploaded under this uploadId: PUT the input to the address that POST /uploads gave, and submit it within ${UPLOAD_DAYS} days`,
    { errors: [{ pointer: UPLOAD_POINTER, message: 'nothing was uploaded' }] },
  );
}

function uploadMismatch({
  announced,
  actual,
}: Extract<Refused, { readonly code: 'upload_mismatch' }>): RequestRefused {
  const [what, got, expected] =
    actual.sizeBytes === announced.sizeBytes
      ? ['the SHA-256', actual.sha256 ?? 'another', announced.sha256]
      : ['a size of', `${actual.sizeBytes} bytes`, `${announced.sizeBytes} bytes`];
  const message = `the upload has ${what} ${got}, and ${expected} was announced`;
  return new RequestRefused('upload_mismatch', `${message}: make a new upload`, {
    errors: [{ pointer: UPLOAD_POINTER, message }],
  });
}
