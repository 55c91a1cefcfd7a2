import { xrayTracing } from '../../src/adapters/telemetry/xray-tracing.ts';
import { createTracing as createNone } from './none.ts';
import type { CreateTracing } from './tracing-parts.ts';

/** Lambda has a daemon on each machine; where there is none, in the local cloud, nothing is traced. */
export const createTracing: CreateTracing = (parts) => {
  const { samplingPercent, clock, variables } = parts;
  if (variables['AWS_XRAY_DAEMON_ADDRESS'] === undefined) return createNone(parts);
  return xrayTracing({
    samplingPercent,
    clock,
    // The runtime sets it anew for each invocation.
    invocationTrace: () => variables['_X_AMZN_TRACE_ID'],
  });
};
