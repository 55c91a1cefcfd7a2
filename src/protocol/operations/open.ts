import * as z from 'zod';
import { answerHeaders } from '../answer-headers.ts';
import type { Operation } from '../operation.ts';

/** Open to anybody: tells nothing about any tenant. */
export const OPEN_OPERATIONS = {
  getHealth: {
    tag: 'service',
    answers: {
      200: {
        description: 'The API answers',
        schema: z.object({ status: z.literal('ok') }),
      },
    },
    problems: [],
  },
  getOpenapi: {
    tag: 'service',
    headers: z.object({
      'If-None-Match': z
        .string()
        .optional()
        .meta({ description: 'An `ETag` of before: 304 if it still holds' }),
    }),
    answers: {
      200: {
        description: 'This document',
        schema: z
          .looseObject({ openapi: z.literal('3.1.0') })
          .meta({ description: 'An OpenAPI document' }),
        headers: z.object({ ETag: answerHeaders.etag }),
      },
      304: { description: 'As it was', headers: z.object({ ETag: answerHeaders.etag }) },
    },
    problems: [],
  },
} as const satisfies Record<string, Operation>;
