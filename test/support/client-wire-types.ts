import type * as z from 'zod';
import type {
  ForkCommand,
  InputRef,
  JobFilter,
  PageOptions,
  RetryCommand,
} from '../../client/index.ts';
import type { forkRequestSchema, retryRequestSchema } from '../../src/protocol/command-requests.ts';
import type { listJobsQuerySchema } from '../../src/protocol/job-list.ts';
import type { inputRefSchema } from '../../src/protocol/upload.ts';

/** Compiles only where what the client takes is what the API takes. */
type Sent<Client extends Wire, Wire> = [Client, Wire];

/** The client writes its requests out, for who reads them; the compiler holds them against the schemas of the wire. */
export type Checked = [
  Sent<InputRef, z.input<typeof inputRefSchema>>,
  Sent<RetryCommand, z.input<typeof retryRequestSchema>>,
  Sent<Omit<ForkCommand, 'idempotencyKey'>, z.input<typeof forkRequestSchema>>,
  Sent<JobFilter & Omit<PageOptions, 'signal'>, z.input<typeof listJobsQuerySchema>>,
];
