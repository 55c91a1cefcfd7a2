/** Where the tests look for Longhaul: `local`, or the URL of a deployed API. Benchmarks import this file: it needs no jest. */
export const where = process.env.TARGET ?? 'local';

/** Whether the suite runs against the local cloud: only there can tests crash environments and read all logs. */
export const isLocal = where === 'local';

/**
 * The longest a job may stay unfinished, in ms. The emulator loses a message now and then (docs/emulator.md): the sweeper, which starts
 * every minute, finds its job 30 s after the submit.
 */
export const JOB_ENDS_WITHIN_MS = isLocal ? 60_000 : 120_000;
