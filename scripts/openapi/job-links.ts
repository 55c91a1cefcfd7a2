import type { ZodOpenApiLinkObject } from 'zod-openapi';
import type { Answer } from '../../src/protocol/operation.ts';
import { type Route, ROUTES } from '../../src/protocol/routes.ts';

const OF_A_JOB = /^\/jobs\/\{jobId\}(?:\/[a-z-]+)?$/;

/** Where a client can go from an answer with a new job; each stands in the document once. */
const LINKS: Readonly<Record<string, ZodOpenApiLinkObject>> = Object.fromEntries(
  (ROUTES as readonly Route[])
    .filter(({ path }) => OF_A_JOB.test(path))
    .map(({ operationId, summary }) => [
      operationId,
      {
        id: operationId,
        operationId,
        parameters: { jobId: '$response.body#/jobId' },
        description: summary,
      },
    ]),
);

/** An answer that says where a job is leads to what can be done with it. */
export function jobLinks({ headers }: Answer): { links?: typeof LINKS } {
  return headers !== undefined && 'Location' in headers.shape ? { links: LINKS } : {};
}
