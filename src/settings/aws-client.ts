/**
 * How every AWS client waits and tries again. The SDK's own defaults wait for a silent peer without end, longer than a lease;
 * 200 sockets let a batch of 100 jobs write at once.
 */
export const AWS_CLIENT = {
  maxAttempts: 5,
  requestHandler: {
    connectionTimeout: 1_000,
    requestTimeout: 5_000,
    throwOnRequestTimeout: true,
    httpsAgent: { maxSockets: 200 },
  },
};
