import { AppError, type RequestErrorCode } from '../../src/errors.ts';
import type { Problem } from '../../src/protocol/problem.ts';

export interface RefusalFacts {
  readonly errors?: Problem['errors'];
  readonly limit?: Problem['limit'];
  readonly knownAgents?: Problem['knownAgents'];
  readonly knownSteps?: Problem['knownSteps'];
  readonly jobStatus?: Problem['jobStatus'];
  /** Header values the answer carries besides the usual ones. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** Ends a request with a problem answer that tells the caller everything. Any other error becomes a bare 500. */
export class RequestRefused extends AppError {
  declare readonly code: RequestErrorCode;
  readonly facts: RefusalFacts;

  constructor(code: RequestErrorCode, detail: string, facts: RefusalFacts = {}) {
    super(detail, { code });
    this.name = 'RequestRefused';
    this.facts = facts;
  }
}
