/** Global functions and values that differ between two runs of the same code, as they are written. */
export const GLOBALS: ReadonlySet<string> = new Set([
  'Date.now',
  'Math.random',
  'performance.now',
  'performance.timeOrigin',
  'Temporal.Now',
  'crypto.randomUUID',
  'crypto.getRandomValues',
  'AbortSignal.timeout',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'fetch',
  'process',
  'WebSocket',
  'EventSource',
  'XMLHttpRequest',
]);

/** Modules whose every use reaches out of the program, or waits. */
export const MODULES: ReadonlySet<string> = new Set([
  'child_process',
  'cluster',
  'dgram',
  'dns',
  'dns/promises',
  'fs',
  'fs/promises',
  'http',
  'http2',
  'https',
  'net',
  'os',
  'process',
  'readline',
  'timers',
  'timers/promises',
  'tls',
  'worker_threads',
]);

/** What of `node:crypto` is random; hashing is not. */
export const RANDOM_OF_CRYPTO: ReadonlySet<string> = new Set([
  'generateKey',
  'generateKeyPair',
  'generateKeyPairSync',
  'generateKeySync',
  'getRandomValues',
  'randomBytes',
  'randomFill',
  'randomFillSync',
  'randomInt',
  'randomUUID',
]);
