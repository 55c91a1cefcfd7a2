import type * as z from 'zod';
import type { ProblemCode } from './problems.ts';

/** Groups of operations in the OpenAPI document, in its order. */
export const TAGS = {
  jobs: 'Submit jobs and read what became of them',
  commands: 'Change a job that is under way or has ended',
  schedules: 'Jobs that are submitted again and again',
  notifications: 'Webhooks of a job and what became of them',
  operations: 'Look after what was given up or stands still; needs the scope `ops`',
  tenant: 'What belongs to the tenant as a whole',
  service: 'The API itself; needs no key',
} as const;
/** A group of operations. */
export type Tag = keyof typeof TAGS;

/** A value shown in the OpenAPI document; tests hold it against its schema. */
export interface Example {
  readonly summary: string;
  readonly value: unknown;
}
type Examples = Readonly<Record<string, Example>>;

/** JSON that a request carries. */
export interface RequestBody {
  readonly schema: z.ZodType;
  readonly description: string;
  /** Whether it may be left out. */
  readonly optional?: boolean;
  readonly examples?: Examples;
}

/** An answer that is no problem. */
export interface Answer {
  readonly description: string;
  /** Absent: the answer has no body. */
  readonly schema?: z.ZodType;
  /** Default: `application/json`. */
  readonly mediaType?: string;
  /** Besides those of every answer; an optional field is a header that not every such answer has. */
  readonly headers?: z.ZodObject;
  readonly examples?: Examples;
}

/**
 * What a route takes and answers. Method, path, scope and summary stand in the route table; what every route answers (no key,
 * too many requests, …) is added by `problemCodesOf`.
 */
export interface Operation {
  readonly tag: Tag;
  /** What a caller has to know beyond the summary; CommonMark. */
  readonly description?: string;
  /** One field for each `{name}` of the path. */
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly headers?: z.ZodObject;
  readonly body?: RequestBody;
  /** By status. */
  readonly answers: Readonly<Record<number, Answer>>;
  /** Codes of the problems it may answer besides those of every route. */
  readonly problems: readonly ProblemCode[];
}
