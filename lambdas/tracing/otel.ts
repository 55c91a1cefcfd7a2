import { otelTracing } from '../../src/adapters/telemetry/otel-tracing.ts';
import { createTracing as createNone } from './none.ts';
import type { CreateTracing } from './tracing-parts.ts';

export const createTracing: CreateTracing = (parts) => {
  const { samplingPercent, otlpEndpoint: endpoint, clock, telemetry } = parts;
  if (endpoint === undefined) return createNone(parts);
  return otelTracing({ samplingPercent, endpoint, clock, telemetry });
};
