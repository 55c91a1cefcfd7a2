import { noTracing } from '../../src/core/trace/no-tracing.ts';
import type { CreateTracing } from './tracing-parts.ts';

export const createTracing: CreateTracing = () => ({
  ...noTracing,
  flush: () => Promise.resolve(),
});
