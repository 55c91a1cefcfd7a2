import type * as z from 'zod';
import {
  errorCauseSchema,
  jobErrorSchema,
  jobSchema,
  jobStatusSchema,
} from '../../src/protocol/job.ts';
import { faultSchema, problemSchema } from '../../src/protocol/problem.ts';
import { traceEntrySchema, traceSchema } from '../../src/protocol/trace.ts';

/** Schemas that stand in the document once, under a name of their own. */
export const NAMED_SCHEMAS: Readonly<Record<string, z.ZodType>> = {
  Job: jobSchema,
  JobStatus: jobStatusSchema,
  JobError: jobErrorSchema,
  ErrorCause: errorCauseSchema,
  Trace: traceSchema,
  TraceEntry: traceEntrySchema,
  Problem: problemSchema,
  Fault: faultSchema,
};
